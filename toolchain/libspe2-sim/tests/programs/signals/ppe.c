/* Signals from the PPE and between SPEs, and registers that are mapped into this process. */
#include "common.h"

#define ROUNDS 50

static struct {
    uint64_t partner;
    uint32_t rounds, first;
} parameters[2] LINE;

int main(void)
{
    struct run runs[2];
    volatile spe_sig_notify_1_area_t *signal1[2];
    volatile spe_spu_control_area_t *control[2];
    for (int i = 0; i < 2; i++) {
        runs[i] = (struct run){.spe = make_context(SPE_MAP_PS | SPE_CFG_SIGNOTIFY2_OR), .argp = &parameters[i]};
        signal1[i] = spe_ps_area_get(runs[i].spe, SPE_SIG_NOTIFY_1_AREA);
        control[i] = spe_ps_area_get(runs[i].spe, SPE_CONTROL_AREA);
        CHECK(signal1[i] != NULL && control[i] != NULL);
    }
    for (int i = 0; i < 2; i++) {
        parameters[i].partner = spe_address(&signal1[!i]->SPU_Sig_Notify_1);
        parameters[i].rounds = spe32(ROUNDS);
        parameters[i].first = spe32(i == 0);
        CHECK(control[i]->SPU_Status == 0 && control[i]->SPU_RunCntl == 0);
        start(&runs[i]);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(spe_signal_write(runs[i].spe, SPE_SIG_NOTIFY_REG_2, 1) == 0);
        CHECK(spe_signal_write(runs[i].spe, SPE_SIG_NOTIFY_REG_2, 2) == 0);
        volatile spe_sig_notify_2_area_t *signal2 = spe_ps_area_get(runs[i].spe, SPE_SIG_NOTIFY_2_AREA);
        CHECK(signal2 != NULL);
        signal2->SPU_Sig_Notify_2 = 4;
    }
    unsigned counters[2];
    for (int i = 0; i < 2; i++) {
        while ((control[i]->SPU_Mbox_Stat & 0xff) == 0)
            continue;
        counters[i] = control[i]->SPU_Out_Mbox;
        CHECK((control[i]->SPU_Mbox_Stat >> 8 & 0xff) == 4);
        control[i]->SPU_In_Mbox = 1000 + i;
        unsigned word;
        while (spe_out_mbox_read(runs[i].spe, &word, 1) == 0)
            continue;
        CHECK(word == 1001u + i);
    }
    /* Each round counts on both SPEs; the second SPE sends last. */
    CHECK(counters[0] == 2 * ROUNDS && counters[1] == 2 * ROUNDS - 1);
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_join(runs[i].thread, NULL) == 0);
        CHECK(runs[i].result == 0x123 && runs[i].stop.stop_reason == SPE_STOP_AND_SIGNAL);
        CHECK(runs[i].stop.result.spe_signal_code == 0x123);
        CHECK(control[i]->SPU_Status == (0x123 << 16 | 2));
        CHECK(control[i]->SPU_NPC != 0);
        CHECK(spe_mssync_start(runs[i].spe) == 0 && spe_mssync_status(runs[i].spe) == 0);
    }
    volatile spe_mssync_area_t *mssync = spe_ps_area_get(runs[0].spe, SPE_MSSYNC_AREA);
    mssync->MFC_MSSync = 1;
    CHECK(mssync->MFC_MSSync == 0);

    /* The proxy command queue by its registers. */
    static uint32_t data[32] LINE;
    for (unsigned i = 0; i < 32; i++)
        data[i] = spe32(i);
    volatile spe_mfc_command_area_t *mfc = spe_ps_area_get(runs[0].spe, SPE_MFC_COMMAND_AREA);
    CHECK((mfc->MFC_QStatus & 0xffff) == 8);
    mfc->MFC_LSA = 0x3e000;
    mfc->MFC_EAH = (uint64_t)(uintptr_t)data >> 32;
    mfc->MFC_EAL = (uint32_t)(uintptr_t)data;
    mfc->MFC_Size_Tag = sizeof data << 16 | 5;
    mfc->MFC_ClassID_CMD = 0x40;
    CHECK(mfc->MFC_CMDStatus == 0);
    mfc->Prxy_QueryMask = 1 << 5;
    mfc->Prxy_QueryType = 2;
    while (mfc->Prxy_TagStatus != 1 << 5)
        continue;
    CHECK(memcmp((char *)spe_ls_area_get(runs[0].spe) + 0x3e000, data, sizeof data) == 0);

    FAILS_NULL(spe_ps_area_get(runs[0].spe, (enum ps_area)9), EINVAL);
    FAILS(spe_signal_write(runs[0].spe, 3, 0), EINVAL);
    spe_context_ptr_t plain = spe_context_create(0, NULL);
    FAILS_NULL(spe_ps_area_get(plain, SPE_CONTROL_AREA), EACCES);
    CHECK(spe_context_destroy(plain) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(spe_context_destroy(runs[i].spe) == 0);
    printf("%u and %u\n", counters[0], counters[1]);
    return 0;
}
