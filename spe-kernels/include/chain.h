/* chain.h - the parts of an accumulation chain (struct meu_product). */
#ifndef PMATRIX_CHAIN_H
#define PMATRIX_CHAIN_H

#include "meu.h"

/* Elements of the inner side before a part. */
static inline uintptr_t chain_begin (const struct meu_product *chain, uint32_t part)
{
  uint32_t longer = part < chain->longer ? part : chain->longer;
  return (uintptr_t) chain->divisor * (chain->base * part + longer);
}

/* Length of a part, before the end of the chain cuts it. */
static inline uint32_t chain_length (const struct meu_product *chain, uint32_t part)
{
  return (uint32_t) chain->divisor * (chain->base + (part < chain->longer ? 1u : 0u));
}

/* Whether the first part has `columns` elements, all parts begin at quadwords, and each part has some of
 * the `inner` elements. On an SPE the columns fit the local store, so the numbers do not overflow. */
static inline uint32_t chain_covers (const struct meu_product *chain, uint32_t columns, uint32_t inner,
                                     uint32_t element_bytes)
{
  return chain->parts != 0 && ((chain->divisor * element_bytes) & 15) == 0 && columns == chain_length (chain, 0)
         && inner > chain_begin (chain, chain->parts - 1u) && inner <= chain_begin (chain, chain->parts);
}

#endif
