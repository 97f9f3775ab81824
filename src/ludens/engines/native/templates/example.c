/* Plays @title@ at random and shows it.
 *
 *     cc -std=c99 -O2 @name@.c example.c -o example && ./example [SEED]
 */
#include <stdio.h>
#include <stdlib.h>

#include "@name@.h"

static @name@_workspace workspace;

int main(int count, char **arguments) {
    uint64_t rng = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
    uint8_t state[@NAME@_STATE_BYTES];
    uint32_t legal[@NAME@_MOST_MOVES], joint[@NAME@_ROLES], role, step;
    int32_t goals[@NAME@_ROLES], result;

    @name@_init(state);
    for (step = 1; !@name@_terminal(&workspace, state) && step <= 1000; step++) {
        printf("%u.", (unsigned)step);
        for (role = 0; role < @NAME@_ROLES; role++) {
            uint32_t choices = (uint32_t)@name@_legal(&workspace, state, role, legal);
            if (choices == 0) {
                printf(" %s cannot move\n", @name@_role_name(role));
                return 1;
            }
            rng = rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            joint[role] = legal[(rng >> 33) % choices];
            printf(" %s", @name@_move_name(joint[role]));
        }
        printf("\n");
        @name@_next(&workspace, state, joint, state);
    }
    for (role = 0; role < @NAME@_ROLES; role++) {
        printf("%s gets %d\n", @name@_role_name(role), (int)@name@_goal(&workspace, state, role));
    }

    @name@_init(state);
    result = @name@_playout(&workspace, state, &rng, 1000, goals, &step);
    printf("another game %s after %u steps\n", result == @NAME@_ENDED ? "ended" : "was broken off", (unsigned)step);
    return 0;
}
