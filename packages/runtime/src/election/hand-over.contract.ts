import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type Client, createClient, injectFaults, isAborted, type ResourceRef } from '@kubewright/client';
import type { KubeObject, Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '../log/logger.ts';
import { createManager } from '../manager/create-manager.ts';
import { createCallPacedClock } from '../testing/call-paced-clock.ts';
import { createLeaderElection } from './leader-election.ts';
import { LEASES, readLease } from './lease-record.ts';

/** The part of a server under test that this suite uses; the repository's `TestServer` is one. */
export type ServerUnderTest = { transport(): Transport };

const core = { group: '', version: 'v1', namespaced: true };
const configMaps: ResourceRef = { ...core, resource: 'configmaps', kind: 'ConfigMap' };
const namespaces: ResourceRef = { ...core, resource: 'namespaces', kind: 'Namespace', namespaced: false };

const RUNS = 20;
/** For a test that hangs: all bounds are of a clock that waits for calls. */
const PATIENCE_MS = 300_000;
const SHORT = { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 300 };
/** A leader signs so many times between two renewals of its Lease. */
const SIGNATURES = 6;
/** Renewals, by whomever, for which a leader's work goes on after it was told to stop: they take longer than a Lease lasts. */
const LAST_RENEWALS = 1 + SHORT.leaseDurationMs / SHORT.retryPeriodMs;
/**
 * One that is stopped renews its Lease while its work goes on. Then the Lease runs out, and whoever waits looks every 2.2
 * periods at most; two calls take less than a period each.
 */
const HAND_OVER_WITHIN_MS =
  LAST_RENEWALS * SHORT.retryPeriodMs + SHORT.leaseDurationMs + 4.2 * SHORT.retryPeriodMs;

/** What happens to a leader; `killed` and `stopped` never come back, the others do when somebody else leads. */
type Fate = 'killed' | 'paused' | 'cut off' | 'stopped';
const FATES: readonly Fate[] = ['killed', 'paused', 'cut off', 'stopped'];

type Candidate = {
  readonly name: string;
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
  /** When it began to lead. */
  readonly leadsFrom: Promise<number>;
  /** Lets calls and answers pass again. */
  suffer(fate: Fate): () => void;
};

/** Who held the Lease of a run, and who wrote its register, in the order of the server. */
type HistoryEntry = { readonly revision: number; readonly kind: 'holder' | 'writer'; readonly who: string };

/** Leaders that end in every way, on any API server: 20 competitions of two or three managers, all at once. */
export function handOverContract(server: () => ServerUnderTest): void {
  describe('a leader that fails', () => {
    const namespace = `hand-over-${randomUUID().slice(0, 8)}`;
    const histories = new Map<string, HistoryEntry[]>();
    /** Emits the name of a run whenever its Lease was written. */
    const renewed = new EventEmitter();
    const judge = new AbortController();
    const over = new AbortController();
    const candidates: Candidate[] = [];
    const { clock, pacedBy, run: passTime } = createCallPacedClock();
    let client: Client;
    let judging: Promise<unknown>;
    beforeAll(async () => {
      client = createClient(server().transport());
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      // Nobody competes before both are watched: a writer whose Lease was not seen would look like a stray.
      const records = await Promise.all([record('holder'), record('writer')]);
      judging = Promise.all([...records.map(({ ended }) => ended), passTime(judge.signal)]);
    });
    afterAll(async () => {
      over.abort();
      for (const run of histories.keys()) renewed.emit(run);
      for (const { stop } of candidates) stop.abort();
      await Promise.all(candidates.map(({ ended }) => ended));
      judge.abort();
      await judging;
      await client.deleteAll(configMaps, { namespace });
      await client.deleteAll(LEASES, { namespace });
      await client.delete(namespaces, { name: namespace });
    });

    function note(kind: HistoryEntry['kind'], object: KubeObject): void {
      const { name = '', resourceVersion, labels } = object.metadata;
      const who = kind === 'holder' ? readLease(object).holder : (labels?.['writer'] ?? '');
      const history = histories.get(name) ?? [];
      histories.set(name, [...history, { revision: Number(resourceVersion), kind, who }]);
      if (kind === 'holder') renewed.emit(name);
    }

    /** Begins to write down each change of the Leases or of the registers from here on. */
    async function record(kind: HistoryEntry['kind']): Promise<{ readonly ended: Promise<void> }> {
      const ref = kind === 'holder' ? LEASES : configMaps;
      const { resourceVersion } = await client.list(ref, { namespace });
      return { ended: noteFrom(kind, ref, resourceVersion) };
    }

    async function noteFrom(
      kind: HistoryEntry['kind'],
      ref: ResourceRef,
      resourceVersion: string,
    ): Promise<void> {
      const options = { namespace, resourceVersion, signal: judge.signal };
      try {
        for await (const event of client.watch<KubeObject>(ref, options)) {
          if (event.type === 'ADDED' || event.type === 'MODIFIED') note(kind, event.object);
        }
      } catch (error) {
        if (!isAborted(error)) throw error;
      }
    }

    /** Signs the register of a run, as a busy leader whose work goes on after it was told to stop. */
    async function writeOn(client: Client, run: string, writer: string, signal: AbortSignal): Promise<void> {
      for (let last = 0; last < LAST_RENEWALS && !over.signal.aborted; last += signal.aborted ? 1 : 0) {
        const renewal = new Promise((resolve) => renewed.once(run, resolve));
        for (let turn = 0; turn < SIGNATURES; turn += 1) {
          const body = { metadata: { labels: { writer } }, data: { turn: `${turn}` } };
          // What fails is tried again with the next turn, and the fence has to say no.
          await client
            .patch(configMaps, { namespace, name: run }, { type: 'merge', body })
            .catch(() => undefined);
        }
        await renewal;
      }
    }

    function enter(run: string, name: string): Candidate {
      const state: { fate: Fate | undefined; resume: () => void; resumed: Promise<void> } = {
        fate: undefined,
        resume: () => undefined,
        resumed: Promise.resolve(),
      };
      const lossy = injectFaults(pacedBy(server().transport()), () =>
        state.fate === 'cut off' ? { type: 'lostRequest' } : undefined,
      );
      const transport = holdingAnswers(lossy, () => (state.fate === undefined ? undefined : state.resumed));
      const lease = { namespace, name: run, identity: name, ...SHORT };
      const election = createLeaderElection({ transport, clock, log: silentLogger, ...lease });
      const manager = createManager({
        client: createClient(election.transport),
        clock,
        election,
        log: silentLogger,
      });
      const leadsFrom = new Promise<number>((resolve) => {
        manager.add({
          async start(signal) {
            resolve(clock.monotonic());
            await writeOn(manager.client, run, name, signal);
          },
        });
      });
      const stop = new AbortController();
      const ended = manager.start(stop.signal).catch((error: unknown) => error);
      const candidate: Candidate = {
        name,
        stop,
        ended,
        leadsFrom,
        suffer(fate) {
          if (fate === 'stopped') stop.abort();
          else state.fate = fate;
          state.resumed = new Promise((resolve) => {
            state.resume = resolve;
          });
          return () => {
            state.fate = undefined;
            state.resume();
          };
        },
      };
      candidates.push(candidate);
      return candidate;
    }

    const lastWriter = (run: string): string | undefined =>
      histories.get(run)?.findLast(({ kind }) => kind === 'writer')?.who;

    /** One competition: the first leads, fails, and another takes over. Milliseconds of the hand-over. */
    async function compete(index: number): Promise<number> {
      const run = `run-${index}`;
      const fate = FATES[index % FATES.length] ?? 'killed';
      await client.create(configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name: run },
      });
      const first = enter(run, `${run}-a`);
      const wait = (check: () => void): Promise<void> =>
        vi.waitFor(check, { timeout: PATIENCE_MS, interval: 20 });
      await wait(() => expect(lastWriter(run)).toBe(first.name));
      const others = ['b', 'c'].slice(0, 1 + (index % 2)).map((letter) => enter(run, `${run}-${letter}`));
      const heirs = others.map(({ name }) => name);
      const resume = first.suffer(fate);
      const began = clock.monotonic();
      const took = (await Promise.race(others.map(({ leadsFrom }) => leadsFrom))) - began;
      await wait(() => expect(heirs).toContain(lastWriter(run)));
      if (fate !== 'killed') {
        resume();
        const end = await first.ended;
        if (fate === 'stopped') expect(end).toBeUndefined();
        else expect(end).toMatchObject({ code: 'LeaseLost' });
      }
      // Its successor goes on, whatever comes of the first.
      const written = histories.get(run)?.length ?? 0;
      await wait(() => expect(histories.get(run)?.length).toBeGreaterThan(written + 5));
      resume();
      return took;
    }

    it(`is followed by one other, and lands no write in another's term, ${RUNS} times`, {
      timeout: PATIENCE_MS,
    }, async () => {
      const took = await Promise.all(Array.from({ length: RUNS }, (_, index) => compete(index)));
      for (const [run, history] of histories) expect([run, strayWrites(history)]).toEqual([run, []]);
      expect(histories.size).toBe(RUNS);
      expect(Math.max(...took)).toBeLessThan(HAND_OVER_WITHIN_MS);
    });
  });
}

/** Writes that landed while the Lease did not name who made them. */
function strayWrites(history: readonly HistoryEntry[]): readonly HistoryEntry[] {
  let holder = '';
  const strays: HistoryEntry[] = [];
  for (const entry of history.toSorted((a, b) => a.revision - b.revision)) {
    if (entry.kind === 'holder') holder = entry.who;
    else if (entry.who !== '' && entry.who !== holder) strays.push(entry);
  }
  return strays;
}

/** Calls are made, but what they answer is not heard before `until()`: a process that is frozen while it waits. */
function holdingAnswers(transport: Transport, until: () => Promise<void> | undefined): Transport {
  return {
    async request(request) {
      const [outcome] = await Promise.allSettled([transport.request(request)]);
      await until();
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    },
    close: () => transport.close(),
  };
}
