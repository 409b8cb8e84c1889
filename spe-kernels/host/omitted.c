/* omitted.c - the MEU once more, without one of its waits (MEU_OMIT), for the tests of the MFC's chaos
 * mode. */
#define OMITTED_PASTE_(name, omit) name##_omit##omit
#define OMITTED_PASTE(name, omit) OMITTED_PASTE_ (name, omit)

#define dma_check OMITTED_PASTE (dma_check, MEU_OMIT)
#define dma_fetch OMITTED_PASTE (dma_fetch, MEU_OMIT)
#define dma_write_back OMITTED_PASTE (dma_write_back, MEU_OMIT)
#define dma_fetch_lines OMITTED_PASTE (dma_fetch_lines, MEU_OMIT)
#define dma_write_line OMITTED_PASTE (dma_write_line, MEU_OMIT)
#define dma_wait OMITTED_PASTE (dma_wait, MEU_OMIT)

#if MEU_OMIT == 1
#define meu_loop meu_loop_without_fetch_wait
#elif MEU_OMIT == 2
#define meu_loop meu_loop_without_reuse_barrier
#else
#define meu_loop meu_loop_without_completion_fence
#endif

#include "../meu/dma.c"
#include "../meu/main.c"
