/* power.c: the powers of a matrix from C.  Products are recorded, and computed in parallel when an element is
 * read.
 *
 * Where the library is installed:
 *   cc power.c $(pkg-config --cflags --libs --static pmatrix) -o power
 * In the checkout:
 *   cc -I ppe/include ppe/examples/c/power.c target/release/libpmatrix.a -lpthread -ldl -lm -o power
 */
#include <stdio.h>
#include <stdlib.h>

#include <pmatrix.h>

enum { SIDE = 500, POWER = 8 };

/* Ends the program with the library's message when a call has failed. */
static void check (pm_status status, const char *call)
{
  if (status == PM_OK)
    return;
  fprintf (stderr, "%s: %s\n", call, pm_last_error_message ());
  exit (EXIT_FAILURE);
}

#define CHECK(call) check (call, #call)

/* Gives the elements back when nothing reads them any more, on whatever thread that is. */
static void give_back (void *elements)
{
  free (elements);
}

int main (void)
{
  pm_options options;
  pm_session *session;
  CHECK (pm_options_default (&options));
  CHECK (pm_session_create (&options, &session));

  /* Elements are column-major.  The matrix moves every element of a vector up by one place. */
  double *elements = calloc ((size_t) SIDE * SIDE, sizeof *elements);
  if (elements == NULL)
    return EXIT_FAILURE;
  for (size_t row = 0; row < SIDE; row++)
    elements[row + SIDE * ((row + 1) % SIDE)] = 1;

  /* The session takes the elements as they are; from here on they are its own. */
  pm_value *a, *power;
  CHECK (pm_constant (session, elements, SIDE, SIDE, PM_DOUBLE, give_back, elements, &a));

  power = pm_value_retain (a);
  for (int i = 1; i < POWER; i++)
    {
      pm_value *next;
      /* File and line appear in messages about this operation. */
      CHECK (pm_binary (PM_MULTIPLY, power, a, __FILE__, __LINE__, &next));
      pm_value_release (power);
      power = next;
    }
  printf ("recorded: %d products of %d x %d matrices, has_result %d\n", POWER - 1, SIDE, SIDE, pm_has_result (power));

  double *result = malloc ((size_t) SIDE * SIDE * sizeof *result);
  if (result == NULL)
    return EXIT_FAILURE;
  CHECK (pm_read (power, result, (uint64_t) SIDE * SIDE * sizeof *result));
  printf ("computed: has_result %d, element (1, %d) is %g\n", pm_has_result (power), POWER + 1, result[(size_t) SIDE * POWER]);

  pm_statistics statistics;
  CHECK (pm_session_statistics (session, &statistics));
  printf ("executed: %llu operations as %llu block operations\n", (unsigned long long) statistics.operations_executed,
          (unsigned long long) statistics.block_operations);

  free (result);
  pm_value_release (power);
  pm_value_release (a);
  pm_session_destroy (session);
  return EXIT_SUCCESS;
}
