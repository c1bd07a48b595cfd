import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { fewUnlessReal, realSide } from '../servers/real-side.ts';
import type { RestartableServer } from '../servers/test-server.ts';
import { isLong } from '../support/seeds.ts';
import { type ChaosRig, KINDS, type RigOptions, startRig } from '../support/chaos-rig.ts';

/** Starting a kube-apiserver takes seconds; `npm run test:real` takes the time for all, where it is not one part of more. */
const isThorough = isLong || (realSide.isRequired && !realSide.isAlone);
const RESTARTS = isThorough ? 20 : 3;
const CUTS = isThorough ? 12 : 4;
const MINUTE = 60_000;

/**
 * A manager with caches and a controller, and writers beside it, while the server and the way to it fail in every way
 * that is known. After each: its caches are what the server has, all work is done, no key was ever worked on twice
 * at once, no promise was lost, and nothing ran in circles.
 */
export function chaosContract(server: () => RestartableServer): void {
  // Patience only matters where something is broken: a busy machine is no failure.
  describe('a manager goes on as before', { timeout: 10 * MINUTE }, () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    let rig: ChaosRig | undefined;
    beforeAll(() => void process.on('unhandledRejection', note));
    afterAll(() => void process.off('unhandledRejection', note));
    afterEach(async () => {
      await rig?.stop();
      rig = undefined;
      expect(unhandled).toEqual([]);
    });

    async function start(options?: RigOptions): Promise<ChaosRig> {
      const running = await startRig(server(), options);
      rig = running;
      await running.writes(20);
      return running;
    }

    const stories = {
      'when the API server is restarted over and over': async () => {
        const running = await start();
        for (let restart = 0; restart < RESTARTS; restart += 1) {
          await server().restart(() => running.notices());
          await running.writes(10);
          await running.converges();
        }
        running.wasModest(RESTARTS);
      },

      'when connections break in the middle of its first list': async () => {
        // 400 objects of 4 KB in pages of 50: each of the first connections breaks in its first or second page.
        const running = await start({ objects: 400, prepare: (proxy) => proxy.cutAfter(150_000, 6) });
        await running.converges();
        expect(running.proxy.cuts).toBe(6);
        running.wasModest(6 + 400 / 36);
      },

      'when connections break in the middle of its watches, over and over': async () => {
        const running = await start();
        for (let cut = 1; cut <= CUTS; cut += 1) {
          running.proxy.cut(cut % 2 === 0 ? 'end' : 'reset');
          running.proxy.cutAfter(2000 + 250 * cut, 1);
          await running.writes(5);
          await running.connects();
        }
        await running.converges();
        running.wasModest(2 * CUTS);
      },

      'when the network swallows everything and nobody is told': async () => {
        const running = await start();
        for (let stall = 0; stall < 2; stall += 1) {
          running.proxy.stall();
          await running.writes(10);
          await running.notices();
          running.proxy.flow();
          await running.converges();
        }
        running.wasModest(3);
      },

      'when the server has forgotten what it would resume from (410)': async () => {
        const running = await start();
        for (let round = 0; round < 3; round += 1) {
          const listed = running.calls.lists;
          running.disturb(() => ({ type: 'lostRequest' }));
          running.proxy.cut();
          await running.writes(10);
          await server().forgetHistory();
          await running.writes(10);
          running.disturb(undefined);
          await running.converges();
          // A kind that nobody wrote to is as it was, and may list last.
          await expect.poll(() => running.calls.lists).toBeGreaterThanOrEqual(listed + KINDS);
        }
        running.wasModest(3);
      },

      'when the server forgets between two pages of a list': async () => {
        let forgotten = false;
        const running = await start({
          objects: 120,
          async before({ path }, rig) {
            if (forgotten || !path.includes('continue=')) return;
            forgotten = true;
            await rig.writes(3);
            await server().forgetHistory();
          },
        });
        await running.converges();
        expect(forgotten).toBe(true);
        expect(running.calls.answers.get(410)).toBeGreaterThanOrEqual(1);
        running.wasModest(1 + 120 / 36);
      },

      'when it is turned away (429 with Retry-After)': async () => {
        const running = await start();
        let turn = 0;
        running.disturb(() => (turn++ % 4 === 0 ? undefined : TURNED_AWAY));
        running.proxy.cut();
        await running.writes(100);
        running.disturb(undefined);
        await running.converges();
        running.wasModest(1);
      },

      'when everything is answered with 500 for five minutes': async () => {
        const running = await start();
        running.disturb(() => ({ type: 'status', status: 500, reason: 'InternalError' }));
        running.proxy.cut();
        const began = running.clock.monotonic();
        await vi.waitFor(() => expect(running.clock.monotonic() - began).toBeGreaterThan(5 * MINUTE), {
          timeout: 30_000,
        });
        running.wasModest(1);
        expect(running.manager.health()).toMatchObject({ ready: false });
        running.disturb(undefined);
        await running.converges();
        // A kind that nobody wrote to is as it was, and may try again last.
        await expect.poll(() => running.manager.health()).toMatchObject({ live: true, reasons: [] });
      },
    };
    it.each(fewUnlessReal(1, Object.entries(stories)))('%s', (_title, play) => play());
  });
}

const TURNED_AWAY = {
  type: 'status',
  status: 429,
  reason: 'TooManyRequests',
  retryAfterSeconds: 1,
} as const;
