import { isConditionTrue } from '@kubewright/kube';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs, seed } from '../../../../../test/support/seeds.ts';
import { type ClassRuntime, FINALIZER } from '../api.ts';
import { render } from '../templates/render.ts';
import { at, classOf, liveOf, SETTINGS, timeAt, waitingPod } from '../testing/class-bench.ts';
import { decideClass } from './decide-class.ts';
import { isLegal } from './edges.ts';
import { isSameObject, type Live } from './observed-class.ts';

/** What happens to a class, and how many seconds later it is looked at. */
type Happening = { readonly what: (typeof WHAT)[number]; readonly after: number };

const WHAT = ['nothing', 'ready', 'unready', 'crash', 'heal', 'lose', 'change', 'delete'] as const;

/** A class in a world that is one variable. */
class Lived {
  runtime: ClassRuntime | undefined = classOf({ functions: ['a', 'b'], finalizers: [] });
  live: readonly Live[] = [];
  #isReady = false;
  #isCrashing = false;
  #now = 0;

  happen({ what, after }: Happening): void {
    this.#now += after;
    const { runtime } = this;
    if (runtime === undefined) return;
    if (what === 'ready' || what === 'unready') this.#isReady = what === 'ready';
    if (what === 'crash' || what === 'heal') this.#isCrashing = what === 'crash';
    if (what === 'lose') this.live = this.live.slice(1);
    if (what === 'change') this.#change(runtime);
    if (what === 'delete') this.#delete(runtime);
    this.#look();
  }

  /** Without finalizers it is gone at once. */
  #delete(runtime: ClassRuntime): void {
    const { metadata } = runtime;
    const isHeld = (metadata.finalizers ?? []).length > 0;
    this.runtime = isHeld
      ? { ...runtime, metadata: { ...metadata, deletionTimestamp: timeAt(0) } }
      : undefined;
  }

  #change(runtime: ClassRuntime): void {
    const { generation = 1 } = runtime.metadata;
    const next = classOf({
      functions: generation % 2 === 0 ? ['a', 'b'] : ['a'],
      image: `hello:${generation + 1}`,
    });
    this.runtime = {
      ...runtime,
      metadata: { ...runtime.metadata, generation: generation + 1 },
      spec: next.spec,
    };
  }

  /** Looks and writes, until nothing is left to do. */
  #look(): void {
    for (let step = 0; step < 30 && this.runtime !== undefined; step++) {
      const { runtime } = this;
      const pods = this.#isCrashing ? [waitingPod(runtime, 'CrashLoopBackOff', { restartCount: 3 })] : [];
      const live = this.live.map((object) => this.#asIs(object));
      const observed = { runtime, settings: SETTINGS, rendered: render(runtime, SETTINGS), live, pods };
      const { status, action } = decideClass(observed, at(this.#now));
      this.#write(runtime, status);
      if (action === undefined) return;
      this.#act(action);
    }
    expect(this.runtime, 'it comes to rest').toBeUndefined();
  }

  #asIs(object: Live): Live {
    if (object.kind !== 'Deployment') return object;
    const availableReplicas = this.#isReady && !this.#isCrashing ? 1 : 0;
    return { ...object, status: { ...object.status, availableReplicas } };
  }

  #write(before: ClassRuntime, status: ClassRuntime['status']): void {
    if (status === undefined) return;
    const [from, to] = [before.status?.phase, status.phase];
    expect(isLegal(from, to), `${from} -> ${to}`).toBe(true);
    const yes = ['Progressing', 'Available', 'Degraded'].filter((type) =>
      isConditionTrue(status.conditions, type),
    );
    expect(yes.length, yes.join(' and ')).toBeLessThan(2);
    this.runtime = { ...before, status };
  }

  #act(action: NonNullable<ReturnType<typeof decideClass>['action']>): void {
    const { runtime } = this;
    if (runtime === undefined) return;
    if (action.type === 'removeFinalizer') this.runtime = undefined;
    if (action.type === 'ensureFinalizer')
      this.runtime = { ...runtime, metadata: { ...runtime.metadata, finalizers: [FINALIZER] } };
    if (action.type === 'delete')
      this.live = this.live.filter((object) => !isSameObject(object, action.object));
    if (action.type === 'apply')
      this.live = [
        ...this.live.filter((object) => !isSameObject(object, action.object)),
        liveOf(action.object, runtime),
      ];
  }
}

const happenings = fc.array(
  fc.record({ what: fc.constantFrom(...WHAT), after: fc.constantFrom(0, 1, 4, 9, 20, 130, 700) }),
  { maxLength: 30 },
);

test('CRT-T23 whatever happens, only legal edges, and in the end available, or gone', () => {
  fc.assert(
    fc.property(happenings, (all) => {
      const lived = new Lived();
      for (const one of all) lived.happen(one);
      for (const what of ['heal', 'ready', 'nothing', 'nothing'] as const) lived.happen({ what, after: 60 });
      if (lived.runtime !== undefined) expect(lived.runtime.status?.phase).toBe('available');
    }),
    { numRuns: runs(30), seed },
  );
});
