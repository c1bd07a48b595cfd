import { ApiError, createManualClock } from '@kubewright/client';
import type { Status } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { Cache } from '../cache/cache.ts';
import { silentLogger } from '../log/logger.ts';
import { configMap } from '../testing/objects.ts';
import type { Decision } from './decision.ts';
import { type RecordOutcome, runSteps, type StepLimits, type StepsResult } from './run-steps.ts';
import type { ActOutcome, Io, Refusal, Steps } from './steps.ts';

type World = { value: number };
type Seen = { readonly value: number };
type Plan = Partial<Steps<Seen, number, string>> & Pick<Steps<Seen, number, string>, 'decide'>;

const subject = configMap('a', '1');

/** A world that holds a number; an action sets it. `log` holds all that happened, in order. */
function setUp(plan: Plan, world: World = { value: 0 }, limits: StepLimits = {}) {
  const log: string[] = [];
  const clock = createManualClock();
  const stored = { status: '' };
  const conflicts: string[] = [];
  const stop = new AbortController();
  const steps: Steps<Seen, number, string> = {
    observe: () => {
      log.push('look');
      return { value: world.value };
    },
    async act(value) {
      log.push(`set ${value}`);
      world.value = value;
      return 'done';
    },
    subject: () => subject,
    ...plan,
  };
  const { signal } = stop;
  const io = { cache: {} as Cache, client: {} as Io['client'], clock, random: () => 0, log: silentLogger };
  const host = {
    ...limits,
    io: { ...io, signal, controller: 'test' },
    isNews: (_seen: Seen, status: string) => status !== stored.status,
    async record(_seen: Seen, status: string): Promise<RecordOutcome> {
      log.push(`record ${status}`);
      if (conflicts.shift() !== undefined) return 'conflict';
      stored.status = status;
      return 'done';
    },
    report: ({ reason }: Decision<unknown, string>, writes: boolean) =>
      void log.push(writes ? reason : `(${reason})`),
    notify: (_seen: Seen, { events = [] }: Decision<unknown, string>) =>
      void log.push(...events.map(({ reason }) => `event ${reason}`)),
  };
  /** Runs to the end, whatever has to be waited for; the waits are in `waits`. */
  const waits: number[] = [];
  const run = async (): Promise<StepsResult> => {
    let isOver = false;
    const running = runSteps(steps, { name: 'a' }, host).finally(() => (isOver = true));
    running.catch(() => undefined);
    for (let before = clock.now(); await clock.advanceToNext(); before = clock.now())
      waits.push(clock.now() - before);
    expect(isOver).toBe(true);
    return running;
  };
  return { run, log, clock, world, stored, conflicts, stop, waits, host, steps };
}

const failed = (code: number, reason: string, details: Status['details'] = {}): ApiError => {
  const type = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' } as const;
  const status: Status = { ...type, code, reason, details };
  return new ApiError({ ...status, message: `it says ${reason}` });
};

/** Counts up to `end`, and says so. */
const countTo =
  (end: number) =>
  ({ value }: Seen): Decision<number, string> =>
    value < end
      ? { reason: 'Counting', status: `at ${value}`, action: value + 1 }
      : { reason: 'Done', status: `all ${end}`, requeueAfter: 9 };

describe('observe, decide, act, and again', () => {
  test('after each write everything is looked at again; the status goes first', async () => {
    const { run, log } = setUp({ decide: countTo(2) });

    expect(await run()).toEqual({ reason: 'Done', result: { requeueAfter: 9 } });
    expect(log.join(', ')).toBe(
      'look, Counting, record at 0, set 1, look, Counting, record at 1, set 2, look, Done, record all 2',
    );
  });

  test('a decision that holds up everything else is reported, with its reason', async () => {
    let ahead = 0;
    const slow = (ms: number) => (): Decision<number, string> => {
      ahead += ms;
      return { reason: 'Slow' };
    };
    const reported: unknown[] = [];
    for (const ms of [249, 250]) {
      const { host, steps, clock } = setUp({ decide: slow(ms) });
      const late = { ...clock, monotonic: () => clock.monotonic() + ahead };
      const log = { ...silentLogger, info: (...line: unknown[]) => reported.push(line) };
      await runSteps(steps, { name: 'a' }, { ...host, io: { ...host.io, clock: late, log } });
    }
    expect(reported).toEqual([['the decision held up the event loop', { reason: 'Slow', ms: 250 }]]);
  });

  test('nothing to decide on, and nothing to write, is nothing written', async () => {
    const { run, log } = setUp({ observe: () => undefined, decide: countTo(1) });
    expect(await run()).toEqual({ result: {} });

    const idle = setUp({ decide: () => ({ reason: 'Idle' }) });
    expect(await idle.run()).toEqual({ reason: 'Idle', result: {} });
    expect([log, idle.log]).toEqual([[], ['look', '(Idle)']]);
  });

  const events = [{ type: 'Normal', reason: 'Set', message: '' }] as const;

  test('events are recorded once, when the status is stored', async () => {
    const { run, log, conflicts } = setUp({
      decide: ({ value }) =>
        value === 0 ? { reason: 'Setting', status: 's', action: 1, events } : { reason: 'Done' },
    });
    conflicts.push('one');

    await run();
    expect(log.join(', ')).toBe(
      'look, Setting, record s, look, Setting, record s, event Set, set 1, look, (Done)',
    );
  });

  test('or, where it is stored already, when the action is carried out', async () => {
    const decide = ({ value }: Seen): Decision<number, string> =>
      value === 0 ? { reason: 'Setting', action: 1, events } : { reason: 'Done' };
    const { run, log } = setUp({ decide });
    await run();
    expect(log.join(', ')).toBe('look, Setting, set 1, event Set, look, (Done)');
  });

  test.each([
    ['the decision is made again', events],
    ['the next one says no more', []],
  ])('an action that meets a conflict costs no event, and brings none twice: %s', async (_, later) => {
    let tries = 0;
    const { run, log, world } = setUp({
      decide: ({ value }) =>
        value === 0
          ? { reason: 'Setting', status: 's', action: 1, events: tries === 0 ? events : later }
          : { reason: 'Done' },
      act: async (value) => {
        if (tries++ === 0) return 'conflict';
        world.value = value;
        return 'done';
      },
    });

    await run();
    expect(log.filter((line) => line === 'event Set')).toHaveLength(1);
  });

  test('what was done in this run is known to the next decision', async () => {
    const { run, world } = setUp({
      decide: (_seen, _now, done) =>
        done.some(({ reason, action }) => reason === 'Renewing' && action === 1)
          ? { reason: 'Moving on' }
          : { reason: 'Renewing', action: 1 },
      // A webhook undoes it: the write succeeds and nothing changes.
      act: async () => 'done',
    });

    expect((await run()).reason).toBe('Moving on');
    expect(world.value).toBe(0);
  });
});

describe('conflicts', () => {
  const conflict = (kind: string): ActOutcome => {
    if (kind === 'returned') return 'conflict';
    throw failed(409, kind);
  };

  test.each(['returned', 'Conflict', 'AlreadyExists'])(
    'an action that meets one (%s) is decided anew, after a wait that doubles',
    async (kind) => {
      let left = 3;
      const { run, log, waits } = setUp({
        decide: ({ value }) => (value === 0 ? { reason: 'Setting', action: 1 } : { reason: 'Done' }),
        act: async () => (left-- > 0 ? conflict(kind) : 'done'),
      });

      expect(await run()).toMatchObject({ reason: 'Setting', result: { requeue: true } });
      expect(waits).toEqual([20, 40, 80]);
      expect(log.filter((line) => line === 'look')).toHaveLength(5);
    },
  );

  test('a read that meets one is done again', async () => {
    let left = 1;
    const { run, waits } = setUp({
      observe: () => {
        if (left-- > 0) throw failed(409, 'Conflict');
        return { value: 0 };
      },
      decide: () => ({ reason: 'Done' }),
    });

    expect((await run()).reason).toBe('Done');
    expect(waits).toEqual([20]);
  });

  test('a status that meets one keeps the action from being carried out', async () => {
    const { run, log, conflicts } = setUp({ decide: countTo(1) });
    conflicts.push('one');

    await run();
    expect(log.slice(0, 4)).toEqual(['look', 'Counting', 'record at 0', 'look']);
  });

  test('after five of them the queue decides when to try again', async () => {
    const { run, waits } = setUp({
      decide: () => ({ reason: 'Setting', action: 1 }),
      act: async () => 'conflict',
    });

    expect(await run()).toEqual({
      reason: 'Conflict',
      result: { requeue: true, problem: 'writes meet conflicts' },
    });
    expect(waits).toEqual([20, 40, 80, 160, 320]);
  });

  test('nobody waits for a manager that stops', async () => {
    const { run, stop, waits } = setUp({
      decide: () => ({ reason: 'Setting', action: 1 }),
      act: async () => 'conflict',
    });
    stop.abort();

    expect((await run()).result).toEqual({ requeue: true });
    expect(waits).toEqual([]);
  });
});

describe('runs that do not get anywhere end', () => {
  test('a write without effect is done twice, then the queue decides', async () => {
    const { run, log } = setUp({
      decide: () => ({ reason: 'Renewing', action: 7 }),
      observe: () => ({ value: 0 }),
    });

    const problem = 'the action of Renewing has no effect: a webhook may undo it';
    expect(await run()).toEqual({ reason: 'Renewing', result: { requeue: true, problem } });
    expect(log.filter((line) => line === 'set 7')).toHaveLength(2);
  });

  test('the same action on another world is progress', async () => {
    let pods = 0;
    const { run } = setUp({
      observe: () => ({ value: pods }),
      decide: ({ value }) => (value < 4 ? { reason: 'Creating', action: 1 } : { reason: 'Done' }),
      act: async () => {
        pods++;
        return 'done';
      },
    });

    expect((await run()).reason).toBe('Done');
  });

  test('a decision that never ends is taken up again later', async () => {
    const { run, log } = setUp({ decide: countTo(1000) }, { value: 0 }, { maxSteps: 3 });

    expect(await run()).toEqual({ reason: 'TooManySteps', result: { requeue: true } });
    expect(log.at(-1)).toBe('set 3');
  });
});

describe('refusals', () => {
  const decide = (): Decision<number, string> => ({ reason: 'Setting', status: 'soon', action: 1 });
  const refused = (_seen: Seen, { code, message }: Refusal): Decision<never, string> => ({
    reason: 'Refused',
    status: `${code}: ${message}`,
  });
  const rejects = (code: number, reason: string) => (): Promise<ActOutcome> =>
    Promise.reject(failed(code, reason));

  test('are reported, and then the queue decides when to try again', async () => {
    const { run, log } = setUp({ decide, refused, act: rejects(422, 'Invalid') });

    expect(await run()).toEqual({ reason: 'Refused', result: { requeue: true, problem: 'it says Invalid' } });
    expect(log.join(', ')).toBe('look, Setting, record soon, Refused, record 422: it says Invalid');
  });

  test('or the report says when', async () => {
    const later = (): Decision<never, string> => ({ reason: 'Refused', requeueAfter: 60_000 });
    const { run } = setUp({ decide, refused: later, act: rejects(403, 'Forbidden') });

    expect(await run()).toEqual({ reason: 'Refused', result: { requeueAfter: 60_000 } });
  });

  test('may come from what an action found out', async () => {
    const act = async (): Promise<ActOutcome> => ({ reason: 'Ignored', message: 'no change' });
    const { run, stored } = setUp({ decide, refused, act });

    await run();
    expect(stored.status).toBe('undefined: no change');
  });

  test('a report that meets a conflict is decided anew', async () => {
    const { run, conflicts, stored } = setUp({
      decide: () => ({ reason: 'Setting', action: 1 }),
      refused,
      act: rejects(422, 'Invalid'),
    });
    conflicts.push('one');

    expect((await run()).reason).toBe('Refused');
    expect(stored.status).toBe('422: it says Invalid');
  });

  test('are fields of another manager too: another look would not change that', async () => {
    const causes = [
      { reason: 'FieldManagerConflict', field: '.spec.replicas', message: 'conflict with "hpa"' },
    ];
    const act = (): Promise<ActOutcome> => Promise.reject(failed(409, 'Conflict', { causes }));
    const { run, waits } = setUp({ decide, refused, act });

    expect((await run()).reason).toBe('Refused');
    expect(waits).toEqual([]);
  });

  test('are failures where nobody reports them', async () => {
    await expect(setUp({ decide, act: rejects(422, 'Invalid') }).run()).rejects.toMatchObject({
      code: 'Refused',
      message: 'it says Invalid',
    });
  });

  test.each([
    [503, 'ServiceUnavailable'],
    [429, 'TooManyRequests'],
    [0, 'ConnectionFailed'],
    [0, 'Aborted'],
  ])('%i %s is none: the reconcile fails', async (code, reason) => {
    await expect(setUp({ decide, refused, act: rejects(code, reason) }).run()).rejects.toMatchObject({
      reason,
    });
  });
});
