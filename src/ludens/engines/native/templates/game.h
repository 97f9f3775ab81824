/* The game @title@ as a C library, made from its rules by ludens. Nobody else's code is needed.
 *
 * Every game has this same interface; only the prefix, here `@name@_`, and the numbers below differ. The version of the
 * interface is @name@_abi_version(). All functions are free of global state and may be used by any number of threads,
 * each with a workspace of its own. No function allocates memory, and none reads or writes outside of what it is given.
 *
 * Roles are numbered from 0. Moves are numbered through: role r has the moves from @name@_first_move(r) up to, but not
 * including, @name@_first_move(r + 1). Fluents, the facts that change from state to state, are numbered from 0.
 * Names are in GDL, such as "(mark 1 1)".
 *
 * A state is @NAME@_STATE_BYTES bytes. Bit i % 8 of byte i / 8 tells whether fluent i holds; bits beyond the last
 * fluent are ignored when read and 0 when written. Every combination of bits is a state that can be asked about, also
 * one that play never reaches. States may be copied, compared, hashed and written to disk as they are.
 *
 * A workspace is memory that the functions use as they please. Fill it with zeros before its first use, for example by
 * `static @name@_workspace workspace;` or calloc, and never change it. It remembers the state that was asked about last:
 * a question about the same state costs next to nothing, and one about a similar state costs little.
 */
#ifndef @NAME@_H
#define @NAME@_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define @NAME@_ABI_VERSION @abi_version@

#define @NAME@_ROLES @roles@
#define @NAME@_FLUENTS @fluents@
#define @NAME@_MOVES @moves@
#define @NAME@_MOST_MOVES @most_moves@ /* of one role */
#define @NAME@_STATE_BYTES @state_bytes@
#define @NAME@_LEGAL_BYTES @legal_bytes@

/* What a random game can come to. */
#define @NAME@_ENDED 0 /* a terminal state */
#define @NAME@_CUT 1   /* the limit of steps */
#define @NAME@_STUCK 2 /* a role without a legal move in a state that is not terminal */

/* The fields are nobody's business; they are here so that the compiler knows the size. */
typedef struct @name@_workspace {
@workspace_fields@
} @name@_workspace;

/* The version and the sizes, for programs that load the library while they run. */
uint32_t @name@_abi_version(void);
uint32_t @name@_role_count(void);
uint32_t @name@_fluent_count(void);
uint32_t @name@_move_count(void);
uint32_t @name@_state_bytes(void);
uint32_t @name@_workspace_bytes(void);

/* The first move of a role; the number of all moves for @NAME@_ROLES or more. */
uint32_t @name@_first_move(uint32_t role);

/* Names; NULL for a number that is too big. */
const char *@name@_role_name(uint32_t role);
const char *@name@_fluent_name(uint32_t fluent);
const char *@name@_move_name(uint32_t move);

/* Write the state at the start of the game: @NAME@_STATE_BYTES bytes. */
void @name@_init(uint8_t *state);

/* Whether a state is terminal: 1 or 0. */
int32_t @name@_terminal(@name@_workspace *w, const uint8_t *state);

/* Write the legal moves of a role in ascending order and return how many there are. There must be room for
 * @NAME@_MOST_MOVES. None for a role that does not exist. Terminal states may have legal moves as well. */
int32_t @name@_legal(@name@_workspace *w, const uint8_t *state, uint32_t role, uint32_t *moves);

/* Write @NAME@_LEGAL_BYTES bytes: bit m % 8 of byte m / 8 tells whether move m is legal. */
void @name@_legal_bits(@name@_workspace *w, const uint8_t *state, uint8_t *bits);

/* Make one move for each role and write the state that follows; `after` may be `state`. Returns 1, or 0 without
 * writing anything if one of the moves is not a legal move of its role. */
int32_t @name@_next(@name@_workspace *w, const uint8_t *state, const uint32_t *moves, uint8_t *after);

/* What a role gets in a state: 0 to 100, or -1 where the rules do not give exactly one such number. */
int32_t @name@_goal(@name@_workspace *w, const uint8_t *state, uint32_t role);

/* Play at random, every legal move being equally likely, and return how that went: @NAME@_ENDED, _CUT after
 * `max_steps` joint moves, or _STUCK. Writes how many joint moves were made, and a goal for each role: -1 unless the
 * game ended, and -2 for a role that was stuck. `rng` is the state of the random numbers; any number is a good seed. */
int32_t @name@_playout(@name@_workspace *w, const uint8_t *state, uint64_t *rng, uint32_t max_steps, int32_t *goals,
                       uint32_t *steps);

#ifdef __cplusplus
}
#endif

#endif
