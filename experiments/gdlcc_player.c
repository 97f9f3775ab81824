/* The player of the paper about gdlcc, on the library of any game: compiled with -DGAME=name -include name.h.
 *
 *     player SEED SECONDS STATES MAX_TURNS
 *
 * It plays a match against itself. In every state it plays random games for so many seconds of processor time, averages
 * what each first move of each role gave, and makes the best move of every role. It prints a line for each state: how
 * many games it played, and how many joint moves were made in them. STATES is the size of the transposition table; 0
 * is none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define THE(what) JOIN(GAME, what)

#define MAX_STEPS 1000
#define STATES_BETWEEN_LOOKS 500
#define UNKNOWN 50
#define SLOTS 32768u   /* of the index of states, a power of 2 */
#define EDGES 1048576u /* of the index of successors, a power of 2 */
#define NONE UINT32_MAX

static THE(_workspace) workspace;
static uint32_t roles, bytes, all_moves;
static uint64_t rng;

/* -- transposition table: what is known of a state, and where joint moves lead -------------------------------------- */

typedef struct {
    uint8_t *state;
    uint32_t *legal;  /* for each role where its moves begin, and the end; then the moves */
    int32_t *goals;   /* only in a terminal state */
    int terminal;     /* or somebody cannot move */
} entry;

typedef struct {
    uint32_t from, to;
    uint64_t joint;
} edge;

static entry *entries;
static edge *edges;
static uint32_t *slots, entry_count, most_entries, edge_count;

static uint64_t random_number(void) {
    uint64_t number = rng += UINT64_C(0x9E3779B97F4A7C15);
    number = (number ^ (number >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    number = (number ^ (number >> 27)) * UINT64_C(0x94D049BB133111EB);
    return number ^ (number >> 31);
}

static uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9FB21C651E98DF25);
    return hash ^ (hash >> 32);
}

static uint64_t hash_of(const uint8_t *state) {
    uint64_t hash = 1;
    uint32_t place;
    for (place = 0; place + 8 <= bytes; place += 8) {
        uint64_t word;
        memcpy(&word, state + place, 8);
        hash = mixed(hash, word);
    }
    for (; place < bytes; place++) {
        hash = mixed(hash, state[place]);
    }
    return hash;
}

static void forget_all(void) {
    uint32_t number;
    for (number = 0; number < entry_count; number++) {
        free(entries[number].state);
        free(entries[number].legal);
        free(entries[number].goals);
    }
    memset(slots, 0xFF, sizeof *slots * SLOTS);
    if (edge_count || !entry_count) {
        memset(edges, 0xFF, sizeof *edges * EDGES);
    }
    entry_count = edge_count = 0;
}

static int32_t goal_of(const uint8_t *state, uint32_t role) {
    int32_t goal = THE(_goal)(&workspace, state, role);
    return goal < 0 ? UNKNOWN : goal;
}

/* The number of a state in the table; NONE if it is not there and there is no room. */
static uint32_t number_of(const uint8_t *state) {
    uint64_t place = hash_of(state);
    uint32_t role, end = roles + 1;
    entry *made;
    for (;; place++) {
        uint32_t number = slots[place % SLOTS];
        if (number == NONE) {
            break;
        }
        if (memcmp(entries[number].state, state, bytes) == 0) {
            return number;
        }
    }
    if (entry_count == most_entries) {
        return NONE;
    }
    made = &entries[entry_count];
    made->state = malloc(bytes + 1);
    memcpy(made->state, state, bytes);
    made->terminal = THE(_terminal)(&workspace, state);
    made->legal = malloc(sizeof *made->legal * (all_moves + roles + 1));
    made->goals = malloc(sizeof *made->goals * roles);
    for (role = 0; role < roles; role++) {
        made->goals[role] = made->terminal ? goal_of(state, role) : UNKNOWN;
    }
    for (role = 0; role < roles; role++) {
        made->legal[role] = end;
        end += (uint32_t)THE(_legal)(&workspace, state, role, made->legal + end);
        made->terminal |= end == made->legal[role];
    }
    made->legal[roles] = end;
    made->legal = realloc(made->legal, sizeof *made->legal * end);
    slots[place % SLOTS] = entry_count;
    return entry_count++;
}

/* Where a joint move leads from a state of the table, as far as that is known: a place in the index. */
static edge *edge_of(uint32_t from, uint64_t moves) {
    uint64_t place = mixed(moves, from);
    for (;; place++) {
        edge *known = &edges[place % EDGES];
        if (known->from == NONE || (known->from == from && known->joint == moves)) {
            return known;
        }
    }
}

/* -- random games ---------------------------------------------------------------------------------------------------- */

static uint8_t *here;
static uint32_t *joint;
static int32_t *reward;

/* Play on from `here`; the joint moves made. */
static uint32_t play_out(void) {
    uint32_t role, steps = 0;
    THE(_playout)(&workspace, here, &rng, MAX_STEPS, reward, &steps);
    for (role = 0; role < roles; role++) {
        reward[role] = reward[role] < 0 ? UNKNOWN : reward[role];
    }
    return steps;
}

/* A joint move drawn from lists of moves. */
static uint64_t draw(const uint32_t *legal) {
    uint64_t hash = 7;
    uint32_t role;
    for (role = 0; role < roles; role++) {
        uint32_t count = legal[role + 1] - legal[role];
        joint[role] = legal[legal[role] + random_number() % count];
        hash = mixed(hash, joint[role]);
    }
    return hash;
}

/* One game from a state of the table, through the table as long as that is possible; its first moves are in `first`. */
static uint32_t simulate(uint32_t number, uint32_t *first) {
    uint32_t steps = 0;
    while (!entries[number].terminal) {
        uint64_t hash = draw(entries[number].legal);
        edge *known = most_entries > 1 ? edge_of(number, hash) : NULL;
        if (steps++ == 0) {
            memcpy(first, joint, sizeof *joint * roles);
        }
        if (known && known->from != NONE) {
            number = known->to;
        } else {
            uint32_t after;
            THE(_next)(&workspace, entries[number].state, joint, here);
            after = most_entries > 1 ? number_of(here) : NONE;
            if (after == NONE) {
                return steps + play_out();
            }
            if (edge_count < EDGES / 4 * 3) {
                known->from = number;
                known->to = after;
                known->joint = hash;
                edge_count++;
            }
            number = after;
        }
        if (steps == MAX_STEPS) {
            break;
        }
    }
    memcpy(reward, entries[number].goals, sizeof *reward * roles);
    return steps;
}

/* Choose moves and make them; 0 if the match is over. */
static int think(uint8_t *state, double seconds) {
    double *sums = calloc(all_moves, sizeof *sums);
    unsigned long *counts = calloc(all_moves, sizeof *counts), games = 0, states = 0, looked = 0;
    uint32_t *first = malloc(sizeof *first * roles), role, move, root;
    clock_t begun;
    forget_all();
    begun = clock();
    root = number_of(state);
    if (entries[root].terminal) {
        free(sums), free(counts), free(first);
        return 0;
    }
    do {
        do {
            states += simulate(root, first);
            games++;
            for (role = 0; role < roles; role++) {
                sums[first[role]] += reward[role];
                counts[first[role]]++;
            }
        } while (states - looked < STATES_BETWEEN_LOOKS);
        looked = states;
    } while ((double)(clock() - begun) < seconds * CLOCKS_PER_SEC);
    printf("%lu %lu\n", games, states);
    for (role = 0; role < roles; role++) {
        joint[role] = entries[root].legal[entries[root].legal[role]];
        for (move = entries[root].legal[role]; move < entries[root].legal[role + 1]; move++) {
            uint32_t other = entries[root].legal[move];
            if (counts[other] && sums[other] * (double)counts[joint[role]] > sums[joint[role]] * (double)counts[other]) {
                joint[role] = other;
            }
        }
    }
    fflush(stdout);
    free(sums), free(counts), free(first);
    return THE(_next)(&workspace, state, joint, state);
}

int main(int count, char **arguments) {
    uint8_t *state;
    long turns;
    if (count != 5) {
        fprintf(stderr, "use: player SEED SECONDS STATES MAX_TURNS\n");
        return 2;
    }
    rng = strtoull(arguments[1], NULL, 10);
    most_entries = (uint32_t)strtoul(arguments[3], NULL, 10);
    most_entries = most_entries ? most_entries : 1;
    roles = THE(_role_count)();
    bytes = THE(_state_bytes)();
    all_moves = THE(_move_count)();
    entries = malloc(sizeof *entries * most_entries);
    slots = malloc(sizeof *slots * SLOTS);
    edges = malloc(sizeof *edges * EDGES);
    state = malloc(bytes + 1);
    here = malloc(bytes + 1);
    joint = malloc(sizeof *joint * roles);
    reward = malloc(sizeof *reward * roles);
    if (most_entries > SLOTS / 2) {
        fprintf(stderr, "the table has room for %u states\n", SLOTS / 2);
        return 2;
    }
    THE(_init)(state);
    for (turns = atol(arguments[4]); turns > 0 && think(state, atof(arguments[2])); turns--) {
    }
    forget_all();
    free(entries), free(slots), free(edges), free(state), free(here), free(joint), free(reward);
    return 0;
}
