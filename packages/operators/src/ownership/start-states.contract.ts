import { describe, expect, test } from 'vitest';
import { type ServerUnderTest, useArena } from './testing/server-under-test.ts';
import { outcomeOf, START_STATES } from './testing/start-states.ts';

/** The start states of `docs/comparison.md`, on any server. */
export function startStatesContract(server: () => ServerUnderTest): void {
  describe('a field that a manifest drops goes, and nothing else changes', () => {
    const arena = useArena(server);

    test.each(START_STATES.map((state, index) => [state.title, state, `start-${index}`] as const))(
      '%s',
      async (_title, state, name) => {
        await state.prepare(arena, name);
        const before = await arena.get(state.manifest(name));
        expect(outcomeOf(state, before, before).isStuck).toBe(true);

        const result = await arena.reconcile(state.manifest(name));

        const after = await arena.get(state.manifest(name));
        expect(outcomeOf(state, before, after)).toEqual({ isStuck: false, changed: [] });
        expect(result.state).toMatchObject({ reconciled: true });
        arena.writes();
        await arena.reconcile(state.manifest(name), {}, result.state);
        expect(arena.writes()).toEqual([]);
      },
    );
  });
}
