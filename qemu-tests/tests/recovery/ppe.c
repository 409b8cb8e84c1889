/* ppe.c - computes on three MEUs until nothing fails any more, and says what failed. */
#include <stdio.h>
#include "pmatrix.h"

enum { N = 60 };

static double elements[N * N];

int main (void)
{
  pm_options options;
  pm_session *session;
  pm_value *a, *product, *sum;
  if (pm_options_default (&options) != PM_OK)
    return 2;
  options.engine = "cell";
  options.scheduler = "round-robin"; /* every MEU gets a share, the one that fails too */
  options.meus = 3;
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
  int failures = 0;
  while (pm_read (sum, elements, sizeof elements) != PM_OK) {
    printf ("%s\n", pm_last_error_message ());
    if (++failures == 3)
      return 1;
  }
  for (int i = 0; i < N * N; i++)
    if (elements[i] != 11 * 4 * N)
      return 3;
  printf ("computed after %d failures\n", failures);
  pm_session_destroy (session);
  return 0;
}
