/* Loads and stores of this process to the registers of an SPE.  The registers are pages without access, so
 * each access faults and is executed here: the instruction is decoded far enough to know its register and
 * length.  Only words can be accessed, as on the machine.
 */
#define _GNU_SOURCE
#include "guard.h"

#include <string.h>
#include <ucontext.h>

#if defined(__x86_64__)

/* Numbers of general registers in the order of the instruction encoding. */
static const int general[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* Bytes of a memory operand from its ModRM byte on. */
static int operand_bytes(const uint8_t *modrm)
{
    int mode = modrm[0] >> 6, base = modrm[0] & 7, bytes = 1;
    if (base == 4) {
        bytes++;
        if (mode == 0 && (modrm[1] & 7) == 5)
            return bytes + 4;
    } else if (mode == 0 && base == 5) {
        return bytes + 4;
    }
    return bytes + (mode == 1 ? 1 : mode == 2 ? 4 : 0);
}

int spe2_trap_serve(const struct spe2_registers *registers, uintptr_t address, void *context)
{
    greg_t *file = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *start = (const uint8_t *)file[REG_RIP], *code = start;
    int prefix = 0;
    while (*code == 0x2e || *code == 0x3e || *code == 0x26 || *code == 0x36) /* segment prefixes without effect */
        code++;
    if ((*code & 0xf0) == 0x40)
        prefix = *code++;
    if (prefix & 8) /* 64 bits */
        return 0;
    int swapped = code[0] == 0x0f && code[1] == 0x38 && (code[2] == 0xf0 || code[2] == 0xf1);
    int opcode = swapped ? (code[2] == 0xf0 ? 0x8b : 0x89) : code[0];
    const uint8_t *modrm = code + (swapped ? 3 : 1);
    if (*modrm >> 6 == 3)
        return 0;
    greg_t *operand = &file[general[(*modrm >> 3 & 7) | (prefix & 4) << 1]];
    const uint8_t *end = modrm + operand_bytes(modrm);
    uint32_t value;
    switch (opcode) {
    case 0x8b: /* mov or movbe from memory; the upper half of the register becomes zero */
        value = registers->read(address);
        *operand = swapped ? __builtin_bswap32(value) : value;
        break;
    case 0x89: /* mov or movbe to memory */
        value = (uint32_t)*operand;
        registers->write(address, swapped ? __builtin_bswap32(value) : value);
        break;
    case 0xc7: /* mov of an immediate operand to memory */
        memcpy(&value, end, sizeof value);
        end += sizeof value;
        registers->write(address, value);
        break;
    case 0x87: /* xchg: a sequentially consistent store */
        value = (uint32_t)*operand;
        *operand = registers->read(address);
        registers->write(address, value);
        break;
    default:
        return 0;
    }
    file[REG_RIP] += end - start;
    return 1;
}

#elif defined(__powerpc__)

#if defined(__powerpc64__)
#define GENERAL(context) ((context)->uc_mcontext.gp_regs)
#else
#define GENERAL(context) ((context)->uc_mcontext.uc_regs->gregs)
#endif
#define NEXT_INSTRUCTION 32

int spe2_trap_serve(const struct spe2_registers *registers, uintptr_t address, void *context)
{
    /* Signed or not, a register is as wide as a pointer. */
    unsigned long *file = (unsigned long *)GENERAL((ucontext_t *)context);
    uint32_t word = *(const uint32_t *)file[NEXT_INSTRUCTION];
    unsigned opcode = word >> 26, target = word >> 21 & 31, base = word >> 16 & 31, extended = word >> 1 & 0x3ff;
    int load = 0, swapped = 0, update = 0;
    switch (opcode) {
    case 32: /* lwz */
    case 33: /* lwzu */
        load = 1;
        update = opcode & 1;
        break;
    case 36: /* stw */
    case 37: /* stwu */
        update = opcode & 1;
        break;
    case 31:
        switch (extended) {
        case 23: /* lwzx */
            load = 1;
            break;
        case 55: /* lwzux */
            load = update = 1;
            break;
        case 151: /* stwx */
            break;
        case 183: /* stwux */
            update = 1;
            break;
        case 534: /* lwbrx */
            load = swapped = 1;
            break;
        case 662: /* stwbrx */
            swapped = 1;
            break;
        default:
            return 0;
        }
        break;
    default:
        return 0;
    }
    if (load) {
        uint32_t value = registers->read(address);
        file[target] = swapped ? __builtin_bswap32(value) : value;
    } else {
        uint32_t value = (uint32_t)file[target];
        registers->write(address, swapped ? __builtin_bswap32(value) : value);
    }
    if (update)
        file[base] = address;
    file[NEXT_INSTRUCTION] += 4;
    return 1;
}

#else

int spe2_trap_serve(const struct spe2_registers *registers, uintptr_t address, void *context)
{
    (void)registers;
    (void)address;
    (void)context;
    return 0;
}

#endif
