% Plays the game above at random, and replays given games to show what it derives.

:- dynamic 'gdl does'/2.

set_state(Facts) :- forget_state, forall(member(Fact, Facts), store(Fact)), forget_tables.

start :- findall(Fact, 'gdl init'(Fact), Found), sort(Found, Facts), set_state(Facts).

legal_moves(Role, Moves) :- findall(Move, 'gdl legal'(Role, Move), Found), sort(Found, Moves).

make_moves(Choices) :-
    forall(member(Role-Move, Choices), assertz('gdl does'(Role, Move))),
    forget_tables,
    findall(Fact, 'gdl next'(Fact), Found),
    retractall('gdl does'(_, _)),
    sort(Found, Facts),
    set_state(Facts).

% Random play: each joint move that is made counts as one state.

random_move(Role, Role-Move) :-
    legal_moves(Role, Moves),
    Choices =.. [moves|Moves],
    functor(Choices, _, Count),
    Index is random(Count) + 1,
    arg(Index, Choices, Move).

playout(Roles, Limit, Steps) :- start, continue(Roles, Limit, 0, Steps).

continue(Roles, _, Steps, Steps) :- 'gdl terminal', !, forall(member(Role, Roles), findall(Goal, 'gdl goal'(Role, Goal), _)).
continue(_, Limit, Limit, Limit) :- !.
continue(Roles, Limit, Before, Steps) :-
    maplist(random_move, Roles, Choices),
    make_moves(Choices),
    Now is Before + 1,
    continue(Roles, Limit, Now, Steps).

play(Seconds, Limit) :-
    statistics(process_cputime, Begin),
    roles(Roles),
    Total = total(0, 0, Begin),
    repeat,
    playout(Roles, Limit, Steps),
    Total = total(States, Playouts, _),
    NewStates is States + Steps,
    NewPlayouts is Playouts + 1,
    statistics(process_cputime, Now),
    nb_setarg(1, Total, NewStates),
    nb_setarg(2, Total, NewPlayouts),
    Now - Begin >= Seconds,
    !,
    Spent is Now - Begin,
    format("~d ~d ~6f~n", [NewStates, NewPlayouts, Spent]).

% Replay: one line of facts, then for each role a line of its legal moves (or goals at the end), for every state.

replay(Joints) :- roles(Roles), start, replay(Joints, Roles).

replay(Joints, Roles) :-
    findall(Fact, current(Fact), Facts),
    write_line(Facts),
    (   'gdl terminal'
    ->  write_line([terminal]),
        forall(member(Role, Roles), ( findall(Goal, 'gdl goal'(Role, Goal), Found), sort(Found, Goals), write_line(Goals) ))
    ;   write_line([open]),
        forall(member(Role, Roles), ( legal_moves(Role, Moves), write_line(Moves) ))
    ),
    replay_next(Joints, Roles).

replay_next([], _).
replay_next([Joint|Joints], Roles) :-
    maplist([Role, Move, Role-Move]>>true, Roles, Joint, Choices),
    make_moves(Choices),
    replay(Joints, Roles).

write_line([]) :- nl.
write_line([Term|Terms]) :- write_kif(Term), forall(member(Other, Terms), ( write('\t'), write_kif(Other) )), nl.

write_kif(Term) :-
    compound(Term), !,
    Term =.. [Name|Arguments],
    format("(~w", [Name]),
    forall(member(Argument, Arguments), ( write(' '), write_kif(Argument) )),
    write(')').
write_kif(Word) :- write(Word).

:- initialization(main, main).

main :-
    set_prolog_flag(toplevel_prompt, ''),
    prompt(_, ''),
    repeat,
    read(Command),
    (   Command == end_of_file
    ->  !
    ;   catch(Command, Error, ( print_message(error, Error), halt(1) )),
        flush_output,
        fail
    ).
