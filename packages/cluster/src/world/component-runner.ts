import type { UserInfo } from '@kubewright/apiserver';
import type { ApiRequest, Transport } from '@kubewright/kube';
import type { WorldFault } from './world-fault.ts';
import type { LocalKubelets } from '../nodes/kubelet/local-kubelets.ts';
import type { Component } from './component.ts';
import { Instance } from './instance.ts';
import { createLink, type LinkHost } from './create-link.ts';
import { cacheFilling } from './stale-list.ts';
import type { Scheduler } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { WebhookBackend, WebhookNetwork } from './webhook-network.ts';

type Fault<T extends WorldFault['type']> = Extract<WorldFault, { readonly type: T }>;

/** What the components of a world run on. */
export type RunnerHost = {
  readonly components: readonly Component[];
  readonly faults: readonly WorldFault[];
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
  readonly webhooks: WebhookNetwork;
  readonly kubelets: LocalKubelets;
  /** Calls as a cluster admin, unless a user is given. */
  server(user?: UserInfo): Transport;
  /** Whether faults are still injected into calls. */
  disturbed(): boolean;
  /** The request as the server receives it, from an instance that began so many writes behind. */
  arrive(request: ApiRequest, behind: number): ApiRequest;
  rival(): Promise<void>;
  report(fact: object): void;
  note(line: string): void;
  fail(failure: string): void;
};

/** How stale an instance begins: by so many writes, and for so long. */
type Staleness = { readonly behind: number; readonly stale: number };
const CURRENT: Staleness = { behind: 0, stale: 0 };

/** Runs the components of a world, restarts them after a crash, and injects their faults. */
export class ComponentRunner {
  readonly #host: RunnerHost;
  readonly #instances = new Map<string, Instance>();
  readonly #calls = new Map<string, number>();
  readonly #twins = new Map<string, number>();
  readonly #webhookCalls = new Map<string, number>();
  /** Second instances whose time is over: they do not restart. */
  readonly #gone = new Set<string>();
  #started = 0;

  constructor(host: RunnerHost) {
    this.#host = host;
  }

  /** Starts all components, and schedules the faults that happen at a time. */
  start(): void {
    for (const component of this.#host.components) this.#run(component, '', CURRENT);
    for (const fault of this.#host.faults) {
      if ('at' in fault) this.#host.scheduler.after(fault.at, () => this.#inject(fault));
    }
  }

  killAll(): void {
    for (const instance of this.#instances.values()) instance.kill();
  }

  /** Into the first instance only: a second one goes on. */
  #inject(fault: WorldFault): void {
    if (fault.type === 'pause') this.#freeze(fault);
    if (fault.type === 'jump') this.#jump(fault);
    if (fault.type === 'twin') this.#twin(fault);
  }

  #freeze({ component, ms }: Fault<'pause'>): void {
    this.#host.note(`${component} is frozen for ${ms} ms`);
    this.#instances.get(component)?.freeze(ms);
  }

  #jump({ component, ms }: Fault<'jump'>): void {
    this.#host.note(`the wall clock of ${component} jumps by ${ms} ms`);
    this.#instances.get(component)?.shiftClock(ms);
  }

  #twin({ component: name, ms }: Fault<'twin'>): void {
    const component = this.#host.components.find((one) => one.name === name);
    if (component === undefined) return;
    // Two twins are two processes: each ends on its own.
    const twins = next(this.#twins, name);
    const suffix = twins === 1 ? '/twin' : `/twin-${twins}`;
    this.#host.note(`${name} runs twice`);
    this.#run(component, suffix, CURRENT);
    this.#host.scheduler.after(ms, () => {
      this.#gone.add(name + suffix);
      this.#instances.get(name + suffix)?.kill();
    });
  }

  #run(component: Component, suffix: string, staleness: Staleness): void {
    const id = component.name + suffix;
    if (this.#gone.has(id)) return;
    const { scheduler, signal, webhooks, kubelets } = this.#host;
    const instance = new Instance(scheduler, this.#skewOf(component.name));
    this.#instances.set(id, instance);
    this.#host.note(`${id} starts`);
    const random = this.#host.random.fork(`${id}/${this.#started++}`);
    const link = { ...this.#linkOf(component, suffix, staleness), random };
    component
      .start({
        transport: createLink(instance, { ...link, server: this.#host.server() }),
        connect: (user) => createLink(instance, { ...link, server: this.#host.server(user) }),
        clock: instance.clock,
        random: () => random.next(),
        signal,
        serveWebhooks: (host, handle) =>
          webhooks.serve(host, { instance, handle, ...this.#backend(component.name, id) }),
        serveKubelets: (nodes) => kubelets.join(nodes),
        report: (fact) => this.#host.report(fact),
      })
      .catch((error: unknown) => {
        if (instance.alive) this.#host.fail(`${id} ended: ${String(error)}`);
      });
  }

  /** The network between one instance and the server, for every user that it calls as. */
  #linkOf(component: Component, suffix: string, staleness: Staleness): Omit<LinkHost, 'server' | 'random'> {
    const id = component.name + suffix;
    const { scheduler } = this.#host;
    const caughtUp = scheduler.now + staleness.stale;
    const fillsCache = cacheFilling();
    return {
      nextCall: () => next(this.#calls, id),
      faultOf: (call) => this.#faultOf(component.name, call),
      crash: (fault) => this.#crash(component, suffix, fault),
      rival: () => this.#host.rival(),
      rewrite: (request) => this.#host.arrive(request, fillsCache(request) ? staleness.behind : 0),
      behindFor: () => (this.#host.disturbed() ? Math.max(0, caughtUp - scheduler.now) : 0),
      note: (line) => this.#host.note(`${id} ${line}`),
    };
  }

  #skewOf(component: string): number {
    const skew = this.#host.faults.find((fault) => fault.type === 'skew' && fault.component === component);
    return skew?.type === 'skew' ? skew.ms : 0;
  }

  #backend(component: string, id: string): Pick<WebhookBackend, 'isLost' | 'note'> {
    const lost = (webhookCall: number): 'request' | 'response' | undefined => {
      const fault = this.#host.faults.find(
        (one) =>
          one.type === 'lostWebhookCall' && one.component === component && one.webhookCall === webhookCall,
      );
      return fault?.type === 'lostWebhookCall' && this.#host.disturbed() ? fault.part : undefined;
    };
    return {
      isLost: () => lost(next(this.#webhookCalls, id)),
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
    this.#instances.get(component.name + suffix)?.kill();
    this.#host.scheduler.after(restartAfter, () => this.#run(component, suffix, { behind, stale }));
  }
}

/** Counts, from 1. */
function next(counts: Map<string, number>, id: string): number {
  const count = (counts.get(id) ?? 0) + 1;
  counts.set(id, count);
  return count;
}
