/* Drives the library of any game from outside: compiled with -DGAME=name -include name.h.
 *
 * Without an argument it replays matches. Each line of the input is a joint move, names between tabs, or "start". For
 * every state that is reached it prints lines of names between tabs: the facts, "terminal" or "open", then for each
 * role its legal moves and its goal.
 *
 * With arguments SEED and ROUNDS it asks about random bytes as states and random numbers as moves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define THE(what) JOIN(GAME, what)

static THE(_workspace) workspace;
static uint8_t *state, *after, *bits;
static uint32_t *moves, *joint;
static int32_t *goals;

static uint32_t number_of_move(uint32_t role, const char *name) {
    uint32_t move;
    for (move = THE(_first_move)(role); move < THE(_first_move)(role + 1); move++) {
        if (strcmp(THE(_move_name)(move), name) == 0) {
            return move;
        }
    }
    return THE(_move_count)();
}

static void show(void) {
    uint32_t fluent, role;
    int32_t count, place;
    for (fluent = 0; fluent < THE(_fluent_count)(); fluent++) {
        if (state[fluent / 8] >> fluent % 8 & 1) {
            printf("%s\t", THE(_fluent_name)(fluent));
        }
    }
    printf("\n%s\n", THE(_terminal)(&workspace, state) ? "terminal" : "open");
    for (role = 0; role < THE(_role_count)(); role++) {
        count = THE(_legal)(&workspace, state, role, moves);
        for (place = 0; place < count; place++) {
            printf("%s\t", THE(_move_name)(moves[place]));
        }
        printf("\n%d\n", (int)THE(_goal)(&workspace, state, role));
    }
}

static int replay(void) {
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (strcmp(line, "start") == 0) {
            THE(_init)(state);
        } else {
            uint32_t role = 0;
            char *name;
            for (name = strtok(line, "\t"); name && role < THE(_role_count)(); name = strtok(NULL, "\t")) {
                joint[role] = number_of_move(role, name);
                role++;
            }
            if (!THE(_next)(&workspace, state, joint, state)) {
                printf("illegal\n");
                return 1;
            }
        }
        show();
    }
    return 0;
}

static uint64_t number(uint64_t *rng) {
    *rng = *rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *rng >> 20;
}

static void fuzz(uint64_t rng, long rounds) {
    uint32_t role, byte, steps, bytes = THE(_state_bytes)(), roles = THE(_role_count)();
    long made = 0;
    while (rounds-- > 0) {
        for (byte = 0; byte < bytes; byte++) {
            state[byte] = (uint8_t)number(&rng);
        }
        THE(_legal_bits)(&workspace, state, bits);
        for (role = 0; role < roles + 3; role++) {
            THE(_legal)(&workspace, state, number(&rng) % 8 ? role : UINT32_MAX, moves);
            THE(_goal)(&workspace, state, number(&rng) % 8 ? role : UINT32_MAX);
            THE(_role_name)(role);
            THE(_fluent_name)((uint32_t)number(&rng));
            THE(_move_name)((uint32_t)number(&rng));
            THE(_first_move)((uint32_t)number(&rng));
        }
        for (role = 0; role < roles; role++) {
            joint[role] = (uint32_t)(number(&rng) % 4 ? number(&rng) % (THE(_move_count)() + 2) : number(&rng));
        }
        made += THE(_next)(&workspace, state, joint, after);
        THE(_playout)(&workspace, state, &rng, (uint32_t)(number(&rng) % 30), goals, &steps);
        THE(_terminal)(&workspace, state);
    }
    printf("%ld joint moves were legal\n", made);
}

int main(int count, char **arguments) {
    int result = 0;
    state = malloc(THE(_state_bytes)());
    after = malloc(THE(_state_bytes)());
    bits = malloc(THE(_move_count)() / 8 + 1);
    moves = malloc(sizeof *moves * (THE(_move_count)() + 1));
    joint = malloc(sizeof *joint * THE(_role_count)());
    goals = malloc(sizeof *goals * THE(_role_count)());
    if (count > 2) {
        fuzz(strtoull(arguments[1], NULL, 10), atol(arguments[2]));
    } else {
        result = replay();
    }
    free(state), free(after), free(bits), free(moves), free(joint), free(goals);
    return result;
}
