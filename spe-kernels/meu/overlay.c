/* overlay.c - fetches overlays into the overlay area. */
#include "overlay.h"
#include "store.h"

#define OVERLAY_TAG (MEU_BUFFER_COUNT + 1)

extern char overlay_area[MEU_OVERLAY_BYTES]; /* kernels/spu/entries.S */

_Static_assert (MEU_OVERLAY_BYTES <= 16384, "one command of the MFC fetches an overlay");

static MEU_OWN_QUADWORD uint64_t begin_ea;
static MEU_OWN_QUADWORD uint32_t present; /* the overlay in the area, or on its way there */
static MEU_OWN_QUADWORD uint32_t on_its_way;

void overlay_begin (uint64_t overlays_ea)
{
  begin_ea = overlays_ea;
  present = MEU_RESIDENCE_SPE;
}

void overlay_fetch (uint32_t residence)
{
  if (residence == MEU_RESIDENCE_SPE || residence == present)
    return;
  uint32_t offset = (residence - MEU_FIRST_OVERLAY) * MEU_OVERLAY_BYTES;
  mfc_get (overlay_area, begin_ea + offset, MEU_OVERLAY_BYTES, OVERLAY_TAG, 0, 0);
  present = residence;
  on_its_way = 1;
}

void overlay_need (uint32_t residence)
{
  overlay_fetch (residence);
  if (on_its_way == 0)
    return;
  (void) dma_wait (OVERLAY_TAG);
  /* The SPU has fetched instructions of the area ahead, of the overlay before. */
  spu_sync ();
  on_its_way = 0;
}
