import { ApiError, type Client, createManualClock, type Patch } from '@kubewright/client';
import type { Json, KubeObject, ResourceRef, Status, Stored } from '@kubewright/kube';
import { Registry } from 'prom-client';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type LogFields, type Logger, silentLogger } from '../log/logger.ts';
import type { Manager } from '../manager/manager.ts';
import type { Decision } from './decision.ts';
import { type DecisionOptions, decisions } from './decisions.ts';
import type { Steps } from './steps.ts';

type Site = KubeObject & { readonly status?: { readonly phase: string } };
type Phase = { readonly phase: string };

const sites: ResourceRef<Site> = {
  group: 'example.com',
  version: 'v1',
  resource: 'sites',
  kind: 'Site',
  namespaced: true,
};
const site = (phase?: string): Stored<Site> => ({
  apiVersion: 'example.com/v1',
  kind: 'Site',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '7' },
  ...(phase === undefined ? {} : { status: { phase } }),
});

/** One reconcile of a Site, on a manager whose server has the answers in `answers`, and takes everything else. */
async function reconcile(
  stored: Stored<Site>,
  decide: Steps<Stored<Site>, string, Phase>['decide'],
  {
    answers = [],
    ...options
  }: DecisionOptions<Site, Phase> & { answers?: (number | 'ok' | 'undone')[] } = {},
) {
  const log: string[] = [];
  const clock = createManualClock();
  const answer = async (call: string): Promise<'done'> => {
    log.push(call);
    const code = answers.shift() ?? 'ok';
    if (typeof code === 'number') throw rejection(code);
    return 'done';
  };
  const client: Partial<Client> = {
    async patch(_ref, _key, { body }: Patch, write) {
      const isUndone = answers[0] === 'undone';
      await answer(`${write?.subresource} ${JSON.stringify(body)}`);
      const [, { value = null } = {}] = body as readonly { readonly value?: Json }[];
      return (isUndone ? stored : { ...stored, status: value }) as never;
    },
  };
  const logger: Logger = {
    ...silentLogger,
    info: (message: string, fields?: LogFields) => log.push(`info ${message} ${String(fields?.['reason'])}`),
    debug: (message: string, fields?: LogFields) =>
      log.push(`debug ${message} ${String(fields?.['reason'])}`),
  };
  const registry = new Registry();
  const manager: Partial<Manager> = {
    client: client as Client,
    clock,
    random: () => 0,
    registry,
    recorderFor: (component) => ({
      record: ({ metadata }, { reason }) => void log.push(`${component}: ${reason} of ${metadata.name}`),
      settled: async () => undefined,
    }),
  };
  const steps: Steps<Stored<Site>, string, Phase, Site> = {
    observe: () => stored,
    decide,
    act: async (action) => answer(action),
    subject: (observed) => observed,
  };
  const reconciler = decisions(manager as Manager, sites, steps, options);
  const { signal } = new AbortController();
  const result = reconciler.reconcile(
    { namespace: 'ns', name: 'a' },
    { signal, log: logger, controller: 'site' },
  );
  while (await clock.advanceToNext());
  return { result: await result, log, metrics: await registry.metrics(), reconciler, manager };
}

function rejection(code: number): ApiError {
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    reason: code === 409 ? 'Conflict' : 'NotFound',
    details: { name: 'a' },
  };
  return new ApiError(status);
}

const guard = '{"op":"replace","path":"/metadata/resourceVersion","value":"7"}';
const patch = (phase: string): string =>
  `status [${guard},{"op":"add","path":"/status","value":{"phase":"${phase}"}}]`;
const to = (phase: string) => (): Decision<never, Phase> => ({ reason: 'Phased', status: { phase } });

describe('a reconciler of decisions', () => {
  test('writes a status that differs, guarded by the resourceVersion that was observed', async () => {
    expect((await reconcile(site(), to('Up'))).log).toEqual(['info decided Phased', patch('Up')]);
  });

  test('writes nothing when nothing changed', async () => {
    const { log, result } = await reconcile(site('Up'), to('Up'));
    expect([log, result]).toEqual([['debug decided Phased'], {}]);
  });

  test('a status that somebody’s webhook took back is tried again, before anything else is written', async () => {
    const decide = (): Decision<string, Phase> => ({ ...to('Up')(), action: 'act' });
    const { log, result } = await reconcile(site(), decide, { answers: ['undone'] });
    const problem = 'the status of Phased has no effect: a webhook may undo it';
    expect([log, result]).toEqual([
      ['info decided Phased', patch('Up')],
      { requeue: true, requeueAfter: 30_000, problem },
    ]);
  });

  test('looks again after a conflict of the status', async () => {
    const { log } = await reconcile(site(), to('Up'), { answers: [409] });
    expect(log.filter((line) => line === patch('Up'))).toHaveLength(2);
  });

  test('looks again where the object is gone', async () => {
    const { result } = await reconcile(site(), to('Up'), { answers: [404] });
    expect(result).toEqual({});
  });

  test('records Events as the controller, or as the component that is named', async () => {
    const decide = (): Decision<string, Phase> => ({
      reason: 'Phased',
      events: [{ type: 'Normal', reason: 'Up', message: '' }],
    });
    expect((await reconcile(site(), decide)).log).toContain('site: Up of a');
    expect((await reconcile(site(), decide, { component: 'hosting' })).log).toContain('hosting: Up of a');
  });

  test('counts every decision, in one counter of a registry', async () => {
    const { metrics, manager, reconciler } = await reconcile(site(), to('Up'));
    expect(metrics).toContain('kubewright_decisions_total{controller="site",reason="Phased"} 1');

    const steps = {
      observe: () => undefined,
      decide: to('Up'),
      act: async () => 'done',
      subject: () => site(),
    };
    decisions(manager as Manager, sites, steps as Steps<Stored<Site>, string, Phase, Site>);
    const { signal } = new AbortController();
    await reconciler.reconcile({ name: 'a' }, { signal, log: silentLogger, controller: 'other' });
    const text = await manager.registry?.metrics();
    expect(text).toContain('{controller="other",reason="Phased"} 1');
  });

  test('stores a status in another way, where one is given', async () => {
    const stored: unknown[] = [];
    const writeStatus = async (object: Stored<Site>, status: Phase): Promise<Site> => {
      stored.push([object.metadata.name, status]);
      return { ...object, status };
    };
    const { log } = await reconcile(site(), to('Up'), { writeStatus });
    expect(stored).toEqual([['a', { phase: 'Up' }]]);
    expect(log).toEqual(['info decided Phased']);
  });

  test('believes no status that is stored in another way and taken back', async () => {
    const decide = (): Decision<string, Phase> => ({ ...to('Up')(), action: 'act' });
    const writeStatus = async (object: Stored<Site>): Promise<Site> => object;
    const { log, result } = await reconcile(site(), decide, { writeStatus });
    expect([log, result]).toMatchObject([['info decided Phased'], { requeue: true }]);
  });

  test('needs no act where nothing is done', async () => {
    const steps: Steps<Stored<Site>, never, Phase, Site> = {
      observe: () => site('Up'),
      decide: to('Up'),
      subject: (observed) => observed,
    };
    const { manager } = await reconcile(site('Up'), to('Up'));
    const { signal } = new AbortController();
    const context = { signal, log: silentLogger, controller: 'site' };
    const reconcileWith = (given: Steps<Stored<Site>, never, Phase, Site>) =>
      decisions(manager as Manager, sites, given).reconcile({ name: 'a' }, context);
    expect(await reconcileWith(steps)).toEqual({});
    const acting = { ...steps, decide: () => ({ reason: 'Acting', action: 'act' as never }) };
    await expect(reconcileWith(acting)).rejects.toThrow('Acting has an action, and the steps have no act');
  });
});

describe('a final status', () => {
  const isTerminal = ({ phase }: Phase): boolean => phase === 'Failed';

  test('is not written over; actions go on', async () => {
    const decide = ({ status }: Site, _now: Date): Decision<string, Phase> => ({
      reason: status?.phase ?? '',
      status: { phase: 'Up' },
    });
    const { log } = await reconcile(site('Failed'), decide, { isTerminal });
    expect(log).toEqual(['debug decided Failed']);
  });

  test('frozen, nothing is decided any more', async () => {
    const { log, result } = await reconcile(site('Failed'), to('Up'), {
      isTerminal,
      frozenWhenTerminal: true,
    });
    expect([log, result]).toEqual([[], {}]);
  });

  test('is frozen only when it is there', async () => {
    const { log } = await reconcile(site('Up'), to('Failed'), { isTerminal, frozenWhenTerminal: true });
    expect(log).toEqual(['info decided Phased', patch('Failed')]);
  });
});

test('a status that the object does not have does not compile', () => {
  const steps: Steps<Stored<Site>, string, { readonly phase: number }, Site> = {
    observe: () => site(),
    decide: () => ({ reason: 'Phased', status: { phase: 1 } }),
    act: async () => 'done',
    subject: (observed) => observed,
  };
  const make = (manager: Manager) => [
    // @ts-expect-error a phase is text
    decisions(manager, sites, steps),
  ];
  expectTypeOf(make).toBeFunction();
});
