/* spu_mfcio.h - the part of the SPU compiler's header of this name that the MEU uses, on the MFC of
 * host/mfc.c.
 *
 * Local-store addresses are pointers into the calling thread's local store.  On an SPE they are pointers
 * too. */
#ifndef PMATRIX_HOST_SPU_MFCIO_H
#define PMATRIX_HOST_SPU_MFCIO_H

#include <spu_intrinsics.h>
#include "mfc.h"

#define mfc_get(ls, ea, size, tag, tid, rid) mfc_issue (MFC_GET, ls, ea, 0, size, tag)
#define mfc_getf(ls, ea, size, tag, tid, rid) mfc_issue (MFC_GET | MFC_FENCE, ls, ea, 0, size, tag)
#define mfc_getb(ls, ea, size, tag, tid, rid) mfc_issue (MFC_GET | MFC_BARRIER, ls, ea, 0, size, tag)
#define mfc_put(ls, ea, size, tag, tid, rid) mfc_issue (MFC_PUT, ls, ea, 0, size, tag)
#define mfc_putf(ls, ea, size, tag, tid, rid) mfc_issue (MFC_PUT | MFC_FENCE, ls, ea, 0, size, tag)
#define mfc_putb(ls, ea, size, tag, tid, rid) mfc_issue (MFC_PUT | MFC_BARRIER, ls, ea, 0, size, tag)
#define mfc_getl(ls, ea, list, size, tag, tid, rid) mfc_issue (MFC_GET | MFC_LIST, ls, ea, list, size, tag)
#define mfc_getlf(ls, ea, list, size, tag, tid, rid) mfc_issue (MFC_GET | MFC_LIST | MFC_FENCE, ls, ea, list, size, tag)
#define mfc_getlb(ls, ea, list, size, tag, tid, rid)                                                                   \
  mfc_issue (MFC_GET | MFC_LIST | MFC_BARRIER, ls, ea, list, size, tag)
#define mfc_putl(ls, ea, list, size, tag, tid, rid) mfc_issue (MFC_PUT | MFC_LIST, ls, ea, list, size, tag)
#define mfc_putlf(ls, ea, list, size, tag, tid, rid) mfc_issue (MFC_PUT | MFC_LIST | MFC_FENCE, ls, ea, list, size, tag)
#define mfc_putlb(ls, ea, list, size, tag, tid, rid)                                                                   \
  mfc_issue (MFC_PUT | MFC_LIST | MFC_BARRIER, ls, ea, list, size, tag)

#define mfc_write_tag_mask(mask) mfc_set_tag_mask (mask)
#define mfc_read_tag_status_all() mfc_wait_all ()

#define spu_read_in_mbox() mfc_mailbox_read ()
#define spu_stat_in_mbox() mfc_mailbox_count ()

/* One tick a nanosecond. */
#define spu_write_decrementer(value) mfc_decrementer_write (value)
#define spu_read_decrementer() mfc_decrementer_read ()

#endif
