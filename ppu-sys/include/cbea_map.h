/* The problem-state areas of an SPE: registers that a PPE program may map and use without the kernel.
 * Offsets follow the Cell Broadband Engine Architecture; all registers are 32 bits wide, in the byte order of
 * the PPE.
 */
#ifndef cbea_map_h
#define cbea_map_h

#ifdef __cplusplus
extern "C" {
#endif

/* Multisource synchronisation: a write starts it; it reads 0 when all earlier accesses are done. */
typedef struct spe_mssync_area {
    unsigned int MFC_MSSync;
} spe_mssync_area_t;

/* The proxy command queue of the MFC. */
typedef struct spe_mfc_command_area {
    unsigned char reserved_0_3[4];
    unsigned int MFC_LSA;
    unsigned int MFC_EAH;
    unsigned int MFC_EAL;
    unsigned int MFC_Size_Tag; /* size << 16 | tag */
    union {
        unsigned int MFC_ClassID_CMD; /* written: tid << 24 | rid << 16 | opcode; enqueues the command */
        unsigned int MFC_CMDStatus;   /* read: 0 enqueued, 1 sequence error, 2 queue full */
    };
    unsigned char reserved_18_103[236];
    unsigned int MFC_QStatus; /* bit 31: empty; low 16 bits: free entries */
    unsigned char reserved_108_203[252];
    unsigned int Prxy_QueryType;
    unsigned char reserved_208_21B[20];
    unsigned int Prxy_QueryMask;
    unsigned char reserved_220_22B[12];
    unsigned int Prxy_TagStatus;
} spe_mfc_command_area_t;

/* Mailboxes and run control. */
typedef struct spe_spu_control_area {
    unsigned char reserved_0_3[4];
    unsigned int SPU_Out_Mbox; /* read only: takes a word */
    unsigned char reserved_8_B[4];
    unsigned int SPU_In_Mbox; /* write only */
    unsigned char reserved_10_13[4];
    unsigned int SPU_Mbox_Stat; /* words in Out_Mbox | free in In_Mbox << 8 | words in Out_Intr_Mbox << 16 */
    unsigned char reserved_18_1B[4];
    unsigned int SPU_RunCntl;
    unsigned char reserved_20_23[4];
    unsigned int SPU_Status;
    unsigned char reserved_28_33[12];
    unsigned int SPU_NPC;
} spe_spu_control_area_t;

/* Signal notification register 1. */
typedef struct spe_sig_notify_1_area {
    unsigned char reserved_0_B[12];
    unsigned int SPU_Sig_Notify_1;
} spe_sig_notify_1_area_t;

/* Signal notification register 2. */
typedef struct spe_sig_notify_2_area {
    unsigned char reserved_0_B[12];
    unsigned int SPU_Sig_Notify_2;
} spe_sig_notify_2_area_t;

#ifdef __cplusplus
}
#endif

#endif
