import type { Clock } from '@kubewright/client';
import { Counter, type Registry } from 'prom-client';
import type { Logger } from '../log/logger.ts';

/** What is reported: others waited for so long. */
export const HELD_MS = 250;
/** How often it looks. What is reported is measured to that. */
const EVERY_MS = 50;
/** Of these, a log line has no more. */
const MOST_OBJECTS = 5;

/** Work on one object, by a controller or a webhook. */
export type WatchedWork = {
  /** Names the object, where that is not known from the start. */
  named(object: string): void;
  ended(): void;
};

type Work = { readonly controller: string; object: string; isOver: boolean };

/**
 * Reports who was at work when the event loop was held up for {@link HELD_MS} or more: nothing else of the process, for example no
 * webhook and no renewal of the Lease, got on meanwhile. Work that awaits something holds up nothing, so the objects that are named
 * are those that may have done it, and on a busy machine none did: hence the level `info`. While nobody works it has no timer.
 */
export class LoopWatch {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #holds: Counter<'controller'>;
  readonly #known = new Set<string>();
  /** Under way, or ended since the last look. */
  readonly #work = new Set<Work>();
  #isLooking = false;

  constructor({ clock, log, registry }: { clock: Clock; log: Logger; registry: Registry }) {
    this.#clock = clock;
    this.#log = log;
    this.#holds = new Counter({
      name: 'kubewright_event_loop_holds_total',
      help: 'How often the event loop was held up for a quarter of a second or more while this controller, or webhook, was at work',
      labelNames: ['controller'],
      registers: [registry],
    });
  }

  begin(controller: string, object: string = ''): WatchedWork {
    if (!this.#known.has(controller)) this.#holds.inc({ controller }, 0);
    this.#known.add(controller);
    const work: Work = { controller, object, isOver: false };
    this.#work.add(work);
    if (!this.#isLooking) this.#lookLater();
    return {
      named: (name) => void (work.object = name),
      ended: () => void (work.isOver = true),
    };
  }

  #lookLater(): void {
    this.#isLooking = true;
    const due = this.#clock.monotonic() + EVERY_MS;
    this.#clock.after(EVERY_MS, () => this.#look(due), { background: true });
  }

  #look(due: number): void {
    // It may have begun just before this was due.
    const held = this.#clock.monotonic() - due + EVERY_MS;
    if (held >= HELD_MS) this.#report(held);
    for (const work of this.#work) if (work.isOver) this.#work.delete(work);
    this.#isLooking = this.#work.size > 0;
    if (this.#isLooking) this.#lookLater();
  }

  #report(held: number): void {
    const all = [...this.#work];
    const objects = all
      .slice(0, MOST_OBJECTS)
      .map(({ controller, object }) => `${controller} ${object}`.trim());
    const more = all.length - objects.length;
    this.#log.info('the event loop was held up', {
      ms: Math.round(held),
      objects,
      ...(more > 0 && { more }),
    });
    for (const controller of new Set(all.map((work) => work.controller))) this.#holds.inc({ controller });
  }
}
