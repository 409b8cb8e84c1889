/* Functions of libspe2 2.x.  A function that fails returns -1 or NULL and sets errno, and a function fails
 * with ESRCH for a NULL context, unless its comment says otherwise.
 */
#ifndef libspe2_h
#define libspe2_h

/* Programs expect that these come along. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "libspe2-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a logical SPE, in a gang if gang is not NULL. */
spe_context_ptr_t spe_context_create(unsigned int flags, spe_gang_context_ptr_t gang);

/* Creates a context close to a neighbour of its gang.  The neighbour may be NULL; the gang may not. */
spe_context_ptr_t spe_context_create_affinity(unsigned int flags, spe_context_ptr_t affinity_neighbor,
                                              spe_gang_context_ptr_t gang);

/* Ends a context that is not running. */
int spe_context_destroy(spe_context_ptr_t spe);

/* Makes an empty gang. */
spe_gang_context_ptr_t spe_gang_context_create(unsigned int flags);

/* Ends a gang; EBUSY while it has contexts. */
int spe_gang_context_destroy(spe_gang_context_ptr_t gang);

/* Opens an SPE ELF executable.  EACCES if it may not be executed, EINVAL if it is something else. */
spe_program_handle_t *spe_image_open(const char *filename);

/* Closes what spe_image_open opened. */
int spe_image_close(spe_program_handle_t *program);

/* Copies a program into the local store. */
int spe_program_load(spe_context_ptr_t spe, spe_program_handle_t *program);

/* Runs the program on the calling thread from *entry until it stops; *entry is then the next instruction.
 * Returns 0 after an exit, the stop code after a stop that the program means for its user, -1 after a
 * failure.
 */
int spe_context_run(spe_context_ptr_t spe, unsigned int *entry, unsigned int runflags, void *argp, void *envp,
                    spe_stop_info_t *stopinfo);

/* The result of a run that was made elsewhere, once each; EAGAIN if there is none, ENOTSUP without
 * SPE_EVENTS_ENABLE.
 */
int spe_stop_info_read(spe_context_ptr_t spe, spe_stop_info_t *stopinfo);

/* Makes an event handler, to which events of any number of contexts can be registered. */
spe_event_handler_ptr_t spe_event_handler_create(void);

/* Ends an event handler. */
int spe_event_handler_destroy(spe_event_handler_ptr_t evhandler);

/* Registers event->events of event->spe, which needs SPE_EVENTS_ENABLE. */
int spe_event_handler_register(spe_event_handler_ptr_t evhandler, spe_event_unit_t *event);

/* Undoes a registration. */
int spe_event_handler_deregister(spe_event_handler_ptr_t evhandler, spe_event_unit_t *event);

/* Waits for registered events, at most timeout milliseconds (-1: for ever).  Returns their number. */
int spe_event_wait(spe_event_handler_ptr_t evhandler, spe_event_unit_t *events, int max_events, int timeout);

/* Proxy DMA: from local store to memory (put) and back (get), in tag group 0 to 15.  b: with barrier; f: with
 * fence. */
int spe_mfcio_put(spe_context_ptr_t spe, unsigned int ls, void *ea, unsigned int size, unsigned int tag,
                  unsigned int tid, unsigned int rid);
int spe_mfcio_putb(spe_context_ptr_t spe, unsigned int ls, void *ea, unsigned int size, unsigned int tag,
                   unsigned int tid, unsigned int rid);
int spe_mfcio_putf(spe_context_ptr_t spe, unsigned int ls, void *ea, unsigned int size, unsigned int tag,
                   unsigned int tid, unsigned int rid);
int spe_mfcio_get(spe_context_ptr_t spe, unsigned int ls, void *ea, unsigned int size, unsigned int tag,
                  unsigned int tid, unsigned int rid);
int spe_mfcio_getb(spe_context_ptr_t spe, unsigned int ls, void *ea, unsigned int size, unsigned int tag,
                   unsigned int tid, unsigned int rid);
int spe_mfcio_getf(spe_context_ptr_t spe, unsigned int ls, void *ea, unsigned int size, unsigned int tag,
                   unsigned int tid, unsigned int rid);

/* Which tag groups of mask (0: all that were used) are complete. */
int spe_mfcio_tag_status_read(spe_context_ptr_t spe, unsigned int mask, unsigned int behavior,
                              unsigned int *tag_status);

/* Takes up to count words that the SPE sent.  Returns how many; never waits. */
int spe_out_mbox_read(spe_context_ptr_t spe, unsigned int *mbox_data, int count);

/* Number of words to be read. */
int spe_out_mbox_status(spe_context_ptr_t spe);

/* Sends words to the SPE.  Returns how many. */
int spe_in_mbox_write(spe_context_ptr_t spe, unsigned int *mbox_data, int count, unsigned int behavior);

/* Number of words for which there is room. */
int spe_in_mbox_status(spe_context_ptr_t spe);

/* Takes words from the interrupting mailbox.  Returns how many. */
int spe_out_intr_mbox_read(spe_context_ptr_t spe, unsigned int *mbox_data, int count, unsigned int behavior);

/* Number of words to be read. */
int spe_out_intr_mbox_status(spe_context_ptr_t spe);

/* Starts a multisource synchronisation: all accesses to the SPE that were issued before. */
int spe_mssync_start(spe_context_ptr_t spe);

/* 0 when it is done. */
int spe_mssync_status(spe_context_ptr_t spe);

/* Writes signal notification register 1 or 2. */
int spe_signal_write(spe_context_ptr_t spe, unsigned int signal_reg, unsigned int data);

/* The local store as memory of this process. */
void *spe_ls_area_get(spe_context_ptr_t spe);

/* Its size in bytes. */
int spe_ls_size_get(spe_context_ptr_t spe);

/* Registers as memory of this process; EACCES without SPE_MAP_PS. */
void *spe_ps_area_get(spe_context_ptr_t spe, enum ps_area area);

/* Serves stop codes 0x2100 + callnum by handler, an int (*)(void *ls, unsigned int npc).  After 0 the program
 * goes on behind the word at npc.
 */
int spe_callback_handler_register(void *handler, unsigned int callnum, unsigned int mode);

/* Undoes that. */
int spe_callback_handler_deregister(unsigned int callnum);

/* The handler of a call number. */
void *spe_callback_handler_query(unsigned int callnum);

/* Facts on the machine: SPE_COUNT_* or SPE_CPU_TYPE, of one node or of all (-1). */
int spe_cpu_info_get(int info_requested, int cpu_node);

#ifdef __cplusplus
}
#endif

#endif
