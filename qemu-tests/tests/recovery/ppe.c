/* ppe.c - computes on as many MEUs as its argument says, and says which of them were lost. */
#include <stdio.h>
#include <stdlib.h>
#include "pmatrix.h"

enum { N = 60 };

static double elements[N * N];

int main (int count, char **arguments)
{
  pm_options options;
  pm_session *session;
  pm_value *a, *product, *sum;
  if (pm_options_default (&options) != PM_OK)
    return 2;
  options.engine = "cell";
  options.scheduler = "round-robin"; /* every MEU gets a share, the one that fails too */
  options.meus = count > 1 ? atoi (arguments[1]) : 3;
  if (pm_session_create (&options, &session) != PM_OK) {
    puts (pm_last_error_message ());
    return 2;
  }
  for (int i = 0; i < N * N; i++)
    elements[i] = 2;
  if (pm_constant_copy (session, elements, N, N, PM_DOUBLE, &a) != PM_OK
      || pm_binary (PM_MULTIPLY, a, a, "program", 1, &product) != PM_OK)
    return 2;
  /* A chain that every MEU gets a share of. */
  sum = product;
  for (uint32_t line = 2; line < 12; line++)
    if (pm_binary (PM_ADD, sum, product, "program", line, &sum) != PM_OK)
      return 2;
  char losses[1000];
  if (pm_read (sum, elements, sizeof elements) != PM_OK) {
    puts (pm_last_error_message ());
    return 1;
  }
  for (int i = 0; i < N * N; i++)
    if (elements[i] != 11 * 4 * N)
      return 3;
  if (pm_session_losses (session, losses, sizeof losses) != PM_OK)
    return 2;
  puts (losses);
  /* A later trace, on what is left. */
  if (pm_binary (PM_ADD, sum, a, "program", 20, &sum) != PM_OK
      || pm_read (sum, elements, sizeof elements) != PM_OK)
    return 1;
  for (int i = 0; i < N * N; i++)
    if (elements[i] != 11 * 4 * N + 2)
      return 3;
  if (pm_session_losses (session, losses, sizeof losses) != PM_OK)
    return 2;
  printf ("computed%s\n", losses);
  pm_session_destroy (session);
  return 0;
}
