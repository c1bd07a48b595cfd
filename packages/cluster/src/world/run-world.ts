import type { RecordedRequest, RequestRecording } from '@kubewright/apiserver';
import { type ApiRequest, defined } from '@kubewright/kube';
import { ComponentRunner } from './component-runner.ts';
import { drawFaults, drawHostility } from './draw-faults.ts';
import type { WorldFault } from './world-fault.ts';
import type { History } from './history.ts';
import { startHostileWebhook } from './start-hostile-webhook.ts';
import { staleList } from './stale-list.ts';
import { prepare } from './prepare.ts';
import type { Scenario } from './scenario.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import { type InitialState, createSimulatedApi, SCENARIO_USER, type SimulatedApi } from './simulated-api.ts';

export type RunOptions = {
  readonly seed: number;
  readonly scenario: Scenario;
  /** Default: drawn from the seed. */
  readonly faults?: readonly WorldFault[];
  /** Whether the result has the world's `requests`. */
  readonly recordRequests?: boolean;
};

export type RunResult = {
  readonly seed: number;
  readonly faults: readonly WorldFault[];
  /** One line for each call, response, watch event and write of the world, in order. */
  readonly trace: readonly string[];
  readonly history: History;
  /** Where they are recorded: those of everybody, with their responses' status. */
  readonly requests?: readonly RecordedRequest[];
  /** Where the scenario has one, once the desired state is reached. */
  readonly endState?: readonly string[];
  /** Why the run failed; absent where it passed. */
  readonly failure?: string;
};

/** Virtual milliseconds: faults are injected in the first, the desired state must be reached in the second, and kept for the third. */
const FAULTS_END = 120_000;
const PATIENCE = 30 * 60_000;
/** More than a watch lasts, and most of the work of a world: in one of {@link FEW} seeds. */
const STABLE = 11 * 60_000;
const BRIEFLY_STABLE = 60_000;
const FEW = 8;
/** What was under way when the desired state was reached may end. */
const CALM = 60_000;

/**
 * Runs a scenario in a world of its own: an API server, components, and the faults injected between them. The seed decides
 * everything; the same seed gives the same trace. Rejects where the scenario cannot be prepared.
 */
export async function runWorld(options: RunOptions): Promise<RunResult> {
  const initial = await prepare(options.scenario);
  const result = await new World(options, initial).run();
  const { endState, failure, faults } = result;
  if (failure !== undefined || endState === undefined || faults.length === 0) return result;
  const calm = await calmWorld(options, initial);
  const other = calm.failure ?? differenceOf((await calm.endState(faults)) ?? [], endState);
  return other === undefined ? result : { ...result, failure: `not as without faults: ${other}` };
}

/**
 * Of each scenario, the world without faults that ran last: consecutive seeds are compared with the same one. Its time
 * stands still, and it is all in memory: nothing has to be closed when the next replaces it.
 */
const calmWorlds = new WeakMap<Scenario, { readonly seed: number; readonly world: World }>();

async function calmWorld(options: RunOptions, initial: InitialState): Promise<World> {
  const { scenario } = options;
  const seed = scriptSeed(options);
  const known = calmWorlds.get(scenario);
  if (known?.seed === seed) return known.world;
  const world = new World({ seed, scenario, faults: [] }, initial);
  await world.play({ stillness: false });
  calmWorlds.set(scenario, { seed, world });
  return world;
}

/** The first of the seeds that share a script: where it is two, 1 and 2 do, and 3 and 4. */
function scriptSeed({ seed, scenario: { seedsPerScript = 1 } }: RunOptions): number {
  return seed - ((seed - 1) % seedsPerScript);
}

/** How long nothing may be written once all is as desired. */
function stillnessOf({ seed, scenario }: RunOptions): number {
  return scenario.stableFor ?? (seed % FEW === 1 ? STABLE : BRIEFLY_STABLE);
}

/** The lines that one of the two has more often: `-` of the first, `+` of the second. */
function differenceOf(expected: readonly string[], actual: readonly string[]): string | undefined {
  const less = missingFrom(actual, expected).map((line) => `- ${line}`);
  const more = missingFrom(expected, actual).map((line) => `+ ${line}`);
  return less.length + more.length === 0 ? undefined : [...less, ...more].join('\n');
}

/** The lines of `wanted` for which `lines` has no partner. */
function missingFrom(lines: readonly string[], wanted: readonly string[]): readonly string[] {
  const left = [...lines];
  return wanted.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

class World {
  readonly #options: RunOptions;
  readonly #initial: InitialState;
  readonly #faults: readonly WorldFault[];
  readonly #api: SimulatedApi;
  readonly #runner: ComponentRunner;
  readonly #trace: string[] = [];
  readonly #recording: RequestRecording | undefined;
  #writes = 0;
  #disturbed = true;
  #failure: string | undefined;

  constructor(options: RunOptions, initial: InitialState) {
    const { seed, scenario } = options;
    const random = createSeededRandom(seed);
    this.#options = options;
    this.#initial = initial;
    this.#faults = options.faults ?? drawn(scenario, random.fork('faults'));
    this.#api = createSimulatedApi({
      scenario,
      random,
      contextRandom: createSeededRandom(scriptSeed(options)).fork('director'),
      initial,
      onWrite: ({ type, resource, object: { metadata } }) =>
        this.#note(`${type} ${resource}/${metadata.name} at ${metadata.resourceVersion}`),
    });
    this.#recording = options.recordRequests === true ? this.#api.server.recordRequests() : undefined;
    this.#runner = this.#createRunner(random);
  }

  async run(): Promise<RunResult> {
    await this.play({ stillness: true });
    const endState = await this.endState(this.#faults);
    this.#runner.killAll();
    await this.#api.end();
    const { failure } = this;
    return {
      seed: this.#options.seed,
      faults: this.#faults,
      trace: this.#trace,
      history: this.#api.history,
      ...defined({ endState, failure, requests: this.#recording?.requests }),
    };
  }

  /** @param options `stillness`: whether it has to stay as desired with nothing written. */
  async play({ stillness }: { readonly stillness: boolean }): Promise<void> {
    const { scenario } = this.#options;
    this.#runner.start();
    for (const fault of this.#faults) this.#schedule(fault);
    const script = scenario.script?.(this.#api.context) ?? Promise.resolve();
    script.catch((error: unknown) => this.#fail(`script: ${String(error)}`));
    await this.#pass(FAULTS_END);
    this.#disturbed = false;
    await this.#settle(stillness);
    this.#checkInvariants();
  }

  /** @param faults of the world that it is compared with */
  async endState(faults: readonly WorldFault[]): Promise<readonly string[] | undefined> {
    if (this.failure !== undefined) return undefined;
    return this.#options.scenario.endState?.(this.#api.context, faults);
  }

  /** The first thing that did not hold. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Injects a fault that belongs to no component. */
  #schedule(fault: WorldFault): void {
    const { scheduler, webhooks, context } = this.#api;
    if (fault.type === 'compact') scheduler.after(fault.at, () => this.#compact());
    if (fault.type !== 'hostile') return;
    const note = (line: string): void => this.#note(line);
    const { client } = context;
    startHostileWebhook(fault, { scheduler, webhooks, client, username: SCENARIO_USER.username, note });
  }

  #createRunner(random: SeededRandom): ComponentRunner {
    const { scenario } = this.#options;
    const { scheduler, server, webhooks, kubelets, context } = this.#api;
    return new ComponentRunner({
      components: scenario.components,
      faults: this.#faults,
      scheduler,
      random,
      signal: context.signal,
      webhooks,
      kubelets,
      server: (user) => server.transport(user),
      disturbed: () => this.#disturbed,
      arrive: (request, behind) => this.#arrive(request, behind),
      rival: async () => scenario.rival?.(context),
      report: (fact) => this.#api.history.report(fact),
      note: (line) => this.#note(line),
      fail: (failure) => this.#fail(failure),
    });
  }

  /** Time goes by; less of it when something has failed. */
  #pass(ms: number): Promise<void> {
    const { scheduler } = this.#api;
    return scheduler.run(scheduler.now + ms, () => this.#failure !== undefined);
  }

  /** The desired state is reached, kept, and nothing more is written. */
  async #settle(stillness: boolean): Promise<void> {
    const { scheduler } = this.#api;
    const deadline = scheduler.now + PATIENCE;
    let missing = await this.#missing();
    while (missing !== undefined && scheduler.now < deadline && this.#failure === undefined) {
      await this.#pass(10_000);
      missing = await this.#missing();
    }
    if (missing !== undefined) return this.#fail(`never reached: ${missing}`);
    await this.#pass(CALM);
    if (!stillness) return;
    const before = this.#writes;
    await this.#pass(stillnessOf(this.#options));
    missing = await this.#missing();
    if (missing !== undefined) this.#fail(`not kept: ${missing}`);
    else if (this.#writes > before)
      this.#fail(`not stable: ${this.#writes - before} writes after all was as desired`);
  }

  #missing(): Promise<string | undefined> {
    return this.#options.scenario.missing(this.#api.context);
  }

  #checkInvariants(): void {
    for (const [name, holds] of Object.entries(this.#options.scenario.invariants)) {
      const broken = this.#failure === undefined ? holds(this.#api.history) : undefined;
      if (broken !== undefined) this.#fail(`${name}: ${broken}`);
    }
  }

  /** The first failure is the one that counts. */
  #fail(failure: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#note(`failure: ${failure}`);
  }

  #note(line: string): void {
    this.#trace.push(`${this.#api.scheduler.now} ${line}`);
  }

  #compact(): void {
    this.#note('the history is compacted');
    this.#api.server.compact();
  }

  /** Counts writes, and serves stale lists to a component that restarted behind a lagging cache. */
  #arrive(request: ApiRequest, behind: number): ApiRequest {
    const isHeartbeat = this.#options.scenario.isHeartbeat?.(request) ?? false;
    if (request.method !== 'GET' && !/[?&]dryRun=/.test(request.path) && !isHeartbeat) this.#writes++;
    return behind > 0 && this.#disturbed
      ? staleList(request, { history: this.#api.history, initial: this.#initial, behind })
      : request;
  }
}

function drawn(scenario: Scenario, random: SeededRandom): readonly WorldFault[] {
  const names = scenario.components.map((component) => component.name);
  const faults = scenario.faults?.(random) ?? drawFaults(random, names, scenario.calls);
  return [...faults, ...drawHostility(random.fork('hostility'))];
}
