import type { UserInfo } from '@kubewright/apiserver';
import type { ApiRequest, Transport } from '@kubewright/kube';
import type { WorldFault } from './fault.ts';
import type { Component } from './component.ts';
import { Life } from './life.ts';
import { createLink, type LinkHost } from './link.ts';
import { cacheFilling } from './older-list.ts';
import type { Scheduler } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { WebhookBackend, WebhookNetwork } from './webhook-network.ts';

type Fault<T extends WorldFault['type']> = Extract<WorldFault, { readonly type: T }>;

/** What the components of a world live on. */
export type CastHost = {
  readonly components: readonly Component[];
  readonly faults: readonly WorldFault[];
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
  readonly webhooks: WebhookNetwork;
  /** Of a cluster admin, unless it names somebody. */
  server(user?: UserInfo): Transport;
  /** Whether faults of calls happen still. */
  disturbed(): boolean;
  /** What the server gets in place of a request, of a life that began so many writes behind. */
  arrive(request: ApiRequest, behind: number): ApiRequest;
  rival(): Promise<void>;
  note(line: string): void;
  fail(failure: string): void;
};

/** How a life begins: behind by so many writes, and for so long. */
type Past = { readonly behind: number; readonly stale: number };
const PRESENT: Past = { behind: 0, stale: 0 };

/** The components of a world through all their lives, and the faults that strike them. */
export class Cast {
  readonly #host: CastHost;
  readonly #lives = new Map<string, Life>();
  readonly #calls = new Map<string, number>();
  readonly #twins = new Map<string, number>();
  readonly #questions = new Map<string, number>();
  /** Twins whose time is over: they do not start again. */
  readonly #gone = new Set<string>();
  #born = 0;

  constructor(host: CastHost) {
    this.#host = host;
  }

  /** Starts all components and their faults of time. */
  enter(): void {
    for (const component of this.#host.components) this.#start(component, '', PRESENT);
    for (const fault of this.#host.faults) {
      if ('at' in fault) this.#host.scheduler.after(fault.at, () => this.#strike(fault));
    }
  }

  killAll(): void {
    for (const life of this.#lives.values()) life.kill();
  }

  /** The first instance only: its twin goes on. */
  #strike(fault: WorldFault): void {
    if (fault.type === 'pause') this.#freeze(fault);
    if (fault.type === 'jump') this.#jump(fault);
    if (fault.type === 'twin') this.#twin(fault);
  }

  #freeze({ component, ms }: Fault<'pause'>): void {
    this.#host.note(`${component} is frozen for ${ms} ms`);
    this.#lives.get(component)?.freeze(ms);
  }

  #jump({ component, ms }: Fault<'jump'>): void {
    this.#host.note(`the wall clock of ${component} jumps by ${ms} ms`);
    this.#lives.get(component)?.shiftClock(ms);
  }

  #twin({ component: name, ms }: Fault<'twin'>): void {
    const component = this.#host.components.find((one) => one.name === name);
    if (component === undefined) return;
    // Two twins are two processes: each dies for itself.
    const twins = next(this.#twins, name);
    const suffix = twins === 1 ? '/twin' : `/twin-${twins}`;
    this.#host.note(`${name} runs twice`);
    this.#start(component, suffix, PRESENT);
    this.#host.scheduler.after(ms, () => {
      this.#gone.add(name + suffix);
      this.#lives.get(name + suffix)?.kill();
    });
  }

  #start(component: Component, suffix: string, past: Past): void {
    const id = component.name + suffix;
    if (this.#gone.has(id)) return;
    const { scheduler, signal, webhooks } = this.#host;
    const life = new Life(scheduler, this.#skewOf(component.name));
    this.#lives.set(id, life);
    this.#host.note(`${id} starts`);
    const random = this.#host.random.fork(`${id}/${this.#born++}`);
    const way = { ...this.#wayOf(component, suffix, past), random };
    component
      .start({
        transport: createLink(life, { ...way, server: this.#host.server() }),
        connect: (user) => createLink(life, { ...way, server: this.#host.server(user) }),
        clock: life.clock,
        random: () => random.next(),
        signal,
        serveWebhooks: (host, answer) =>
          webhooks.serve(host, { life, answer, ...this.#backend(component.name, id) }),
      })
      .catch((error: unknown) => {
        if (life.alive) this.#host.fail(`${id} ended: ${String(error)}`);
      });
  }

  /** What happens between one life and the server, whoever it calls as. */
  #wayOf(component: Component, suffix: string, past: Past): Omit<LinkHost, 'server' | 'random'> {
    const id = component.name + suffix;
    const { scheduler } = this.#host;
    const caughtUp = scheduler.now + past.stale;
    const fillsCache = cacheFilling();
    return {
      nextCall: () => next(this.#calls, id),
      faultOf: (call) => this.#faultOf(component.name, call),
      crash: (fault) => this.#crash(component, suffix, fault),
      rival: () => this.#host.rival(),
      rewrite: (request) => this.#host.arrive(request, fillsCache(request) ? past.behind : 0),
      behindFor: () => (this.#host.disturbed() ? Math.max(0, caughtUp - scheduler.now) : 0),
      note: (line) => this.#host.note(`${id} ${line}`),
    };
  }

  #skewOf(component: string): number {
    const skew = this.#host.faults.find((fault) => fault.type === 'skew' && fault.component === component);
    return skew?.type === 'skew' ? skew.ms : 0;
  }

  #backend(component: string, id: string): Pick<WebhookBackend, 'isLost' | 'note'> {
    const lost = (question: number): 'question' | 'answer' | undefined => {
      const fault = this.#host.faults.find(
        (one) => one.type === 'lostQuestion' && one.component === component && one.question === question,
      );
      return fault?.type === 'lostQuestion' && this.#host.disturbed() ? fault.part : undefined;
    };
    return {
      isLost: () => lost(next(this.#questions, id)),
      note: (line) => this.#host.note(`${id} ${line}`),
    };
  }

  #faultOf(component: string, call: number): WorldFault | undefined {
    if (!this.#host.disturbed()) return undefined;
    return this.#host.faults.find(
      (fault) => 'call' in fault && fault.component === component && fault.call === call,
    );
  }

  #crash(component: Component, suffix: string, { restartAfter, behind, stale = 0 }: Fault<'crash'>): void {
    this.#lives.get(component.name + suffix)?.kill();
    this.#host.scheduler.after(restartAfter, () => this.#start(component, suffix, { behind, stale }));
  }
}

/** Counts, from 1. */
function next(counts: Map<string, number>, id: string): number {
  const count = (counts.get(id) ?? 0) + 1;
  counts.set(id, count);
  return count;
}
