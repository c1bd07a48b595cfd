import { type ApiServer, type ApiServerOptions, createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import type { ApiRequest } from '@kubewright/kube';
import { drawFaults, type WorldFault } from './fault.ts';
import { History } from './history.ts';
import { type Component, Life, worldTime } from './life.ts';
import { createLink } from './link.ts';
import type { Director, Scenario } from './scenario.ts';
import { Scheduler } from './scheduler.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';

export type RunOptions = {
  readonly seed: number;
  readonly scenario: Scenario;
  /** Default: drawn from the seed. */
  readonly faults?: readonly WorldFault[];
  /** The server's parts beyond generic REST; default its own. */
  readonly extensions?: ApiServerOptions['extensions'];
};

export type RunResult = {
  readonly seed: number;
  readonly faults: readonly WorldFault[];
  /** One line for each call and each event of the world, in order. */
  readonly trace: readonly string[];
  /** Why the run failed; absent where all held. */
  readonly failure?: string;
};

/** Virtual milliseconds: faults happen in the first, the desired state must come in the second, and stay for the third. */
const FAULTS_END = 120_000;
const PATIENCE = 30 * 60_000;
const STABLE = 11 * 60_000;

/**
 * Plays a scenario in a world of its own: a server, components, and what goes wrong between them. The seed decides
 * everything; the same seed gives the same trace.
 */
export async function runWorld(options: RunOptions): Promise<RunResult> {
  return new World(options).run();
}

class World {
  readonly #options: RunOptions;
  readonly #scheduler = new Scheduler();
  readonly #random: SeededRandom;
  readonly #history = new History();
  readonly #trace: string[] = [];
  readonly #faults: readonly WorldFault[];
  readonly #end = new AbortController();
  readonly #server: ApiServer;
  readonly #calls = new Map<string, number>();
  readonly #lives = new Map<string, Life>();
  #writes = 0;
  #disturbed = true;
  #failure: string | undefined;

  constructor(options: RunOptions) {
    const { seed, scenario, extensions } = options;
    this.#options = options;
    this.#random = createSeededRandom(seed);
    const names = scenario.components.map((component) => component.name);
    const draws = this.#random.fork('faults');
    this.#faults = options.faults ?? scenario.faults?.(draws) ?? drawFaults(draws, names);
    const recorder = this.#history.recorder(scenario.observed, () => this.#scheduler.now);
    const serverRandom = this.#random.fork('server');
    this.#server = createApiServer({
      clock: {
        now: () => worldTime(this.#scheduler),
        schedule: (ms, callback) => this.#scheduler.after(ms, callback),
      },
      random: (size) => serverRandom.bytes(size),
      extensions: [...(extensions ?? []), recorder],
      history: 10_000,
    });
  }

  async run(): Promise<RunResult> {
    const { scenario, seed } = this.#options;
    const director = this.#director();
    await this.#play(scenario.prepare(director), 'prepare');
    for (const component of scenario.components) this.#start(component, '', 0);
    this.#scheduleFaults();
    const script = scenario.script?.(director) ?? Promise.resolve();
    script.catch((error: unknown) => this.#fail(`script: ${describe(error)}`));
    await this.#scheduler.run(FAULTS_END, () => this.#failure !== undefined);
    this.#disturbed = false;
    if (this.#failure === undefined) await this.#settle(director);
    this.#checkInvariants();
    this.#end.abort();
    for (const life of this.#lives.values()) life.kill();
    await this.#server.close();
    const result = { seed, faults: this.#faults, trace: this.#trace };
    return this.#failure === undefined ? result : { ...result, failure: this.#failure };
  }

  /** The desired state is reached, kept, and nothing more is written. */
  async #settle(director: Director): Promise<void> {
    const { scenario } = this.#options;
    const deadline = this.#scheduler.now + PATIENCE;
    let missing = await scenario.missing(director);
    while (missing !== undefined && this.#scheduler.now < deadline) {
      await this.#scheduler.run(this.#scheduler.now + 10_000);
      missing = await scenario.missing(director);
    }
    if (missing !== undefined) return this.#fail(`never reached: ${missing}`);
    await this.#scheduler.run(this.#scheduler.now + 60_000);
    const before = this.#writes;
    await this.#scheduler.run(this.#scheduler.now + STABLE);
    missing = await scenario.missing(director);
    if (missing !== undefined) this.#fail(`not kept: ${missing}`);
    else if (this.#writes > before)
      this.#fail(`not stable: ${this.#writes - before} writes after all was as desired`);
  }

  #checkInvariants(): void {
    for (const [name, holds] of Object.entries(this.#options.scenario.invariants)) {
      const broken = this.#failure === undefined ? holds(this.#history) : undefined;
      if (broken !== undefined) this.#fail(`${name}: ${broken}`);
    }
  }

  #fail(failure: string): void {
    this.#failure ??= failure;
    this.#note(`failure: ${failure}`);
  }

  #note(line: string): void {
    this.#trace.push(`${this.#scheduler.now} ${line}`);
  }

  #director(): Director {
    const { clock } = new Life(this.#scheduler);
    return { client: createClient(this.#server.transport()), clock, signal: this.#end.signal };
  }

  /** Runs the world until a promise settles. */
  async #play(promise: Promise<void>, what: string): Promise<void> {
    let settled = false;
    promise
      .catch((error: unknown) => this.#fail(`${what}: ${describe(error)}`))
      .finally(() => {
        settled = true;
      });
    await this.#scheduler.run(FAULTS_END, () => settled);
  }

  #scheduleFaults(): void {
    for (const fault of this.#faults) {
      if (fault.type === 'compact') this.#scheduler.after(fault.at, () => this.#compact());
      if (fault.type === 'pause') this.#scheduler.after(fault.at, () => this.#freeze(fault));
      if (fault.type === 'jump') this.#scheduler.after(fault.at, () => this.#jump(fault));
      if (fault.type === 'twin') this.#scheduler.after(fault.at, () => this.#twin(fault));
    }
  }

  #compact(): void {
    this.#note('the history is forgotten');
    this.#server.compact();
  }

  /** The first instance only: its twin goes on. */
  #freeze({ component, ms }: Extract<WorldFault, { type: 'pause' }>): void {
    this.#note(`${component} is frozen for ${ms} ms`);
    this.#lives.get(component)?.freeze(ms);
  }

  #jump({ component, ms }: Extract<WorldFault, { type: 'jump' }>): void {
    this.#note(`the wall clock of ${component} jumps by ${ms} ms`);
    this.#lives.get(component)?.shiftClock(ms);
  }

  #twin({ component: name, ms }: Extract<WorldFault, { type: 'twin' }>): void {
    const component = this.#options.scenario.components.find((one) => one.name === name);
    if (component === undefined) return;
    this.#note(`${name} runs twice`);
    const life = this.#start(component, '/twin', 0);
    this.#scheduler.after(ms, () => life.kill());
  }

  #start(component: Component, suffix: string, behind: number): Life {
    const id = component.name + suffix;
    const skew = this.#faults.find((fault) => fault.type === 'skew' && fault.component === component.name);
    const life = new Life(this.#scheduler, skew?.type === 'skew' ? skew.ms : 0);
    this.#lives.set(id, life);
    this.#note(`${id} starts`);
    const random = this.#random.fork(`${id}/${this.#trace.length}`);
    const transport = createLink(life, {
      server: this.#server.transport(),
      random,
      nextCall: () => this.#nextCall(id),
      faultOf: (call) => this.#faultOf(component.name, call),
      crash: (fault) => this.#crash(component, suffix, fault),
      rewrite: (request) => this.#seen(request, behind),
      note: (line) => this.#note(`${id} ${line}`),
    });
    const started = component.start({
      transport,
      clock: life.clock,
      random: () => random.next(),
      signal: this.#end.signal,
    });
    started.catch((error: unknown) => {
      if (life.alive) this.#fail(`${id} ended: ${describe(error)}`);
    });
    return life;
  }

  #nextCall(id: string): number {
    const call = (this.#calls.get(id) ?? 0) + 1;
    this.#calls.set(id, call);
    return call;
  }

  #faultOf(component: string, call: number): WorldFault | undefined {
    if (!this.#disturbed) return undefined;
    return this.#faults.find(
      (fault) => 'call' in fault && fault.component === component && fault.call === call,
    );
  }

  #crash(component: Component, suffix: string, fault: Extract<WorldFault, { type: 'crash' }>): void {
    this.#lives.get(component.name + suffix)?.kill();
    this.#scheduler.after(fault.restartAfter, () => this.#start(component, suffix, fault.behind));
  }

  /** Counts writes, and shows a component that was restarted behind a lagging cache an older past. */
  #seen(request: ApiRequest, behind: number): ApiRequest {
    const isHeartbeat = this.#options.scenario.isHeartbeat?.(request) ?? false;
    if (request.method !== 'GET' && !/[?&]dryRun=/.test(request.path) && !isHeartbeat) this.#writes++;
    const revision =
      behind > 0 && this.#disturbed ? olderRevision(request, this.#history, behind) : undefined;
    if (revision === undefined) return request;
    const [path = ''] = request.path.split('?');
    return { ...request, path: `${path}?resourceVersion=${revision}&resourceVersionMatch=Exact` };
  }
}

/** For the lists that caches begin with: the revision some writes ago. */
function olderRevision(request: ApiRequest, history: History, behind: number): string | undefined {
  const [path = '', query = ''] = request.path.split('?');
  const isList =
    request.method === 'GET' &&
    !query.includes('watch=') &&
    history.all.some(({ resource }) => path.endsWith(`/${resource}`));
  return isList ? history.all.at(-behind)?.object.metadata.resourceVersion : undefined;
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
