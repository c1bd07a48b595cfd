import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { corev1, errorText } from '@kubewright/kube';
import { ANNOTATIONS } from '../../packages/operators/src/drift/api.ts';
import { annotationsOf } from '../../packages/operators/src/drift/testing/annotations-of.ts';
import { createPolicy } from '../../packages/operators/src/drift/testing/drift-stage.ts';
import type { findController } from '../../tools/assets/find-controllers.mjs';
import { type Child, startChild } from '../support/child.ts';
import { freePort } from '../support/free-port.ts';
import { type Write, writesIn } from './count-writes.ts';
import { type Arm, ARMS, type Place, type Scenario, type Step } from './scenario.ts';
import { certificatesIn, installKinds, openStage, writeControllerKubeconfig, type Stage } from './stage.ts';
import { type Tally, tally } from './tally.ts';

/** The programs of a controller, as `npm run assets:controllers` builds them. */
type Programs = NonNullable<ReturnType<typeof findController>>;

export type Played = {
  readonly name: string;
  readonly seconds: number;
  readonly tally: Tally;
  /** What did not come about although nothing was planted, by arm. */
  readonly broken: readonly string[];
  /** All writes by anybody in the namespaces. */
  readonly writes: readonly Write[];
};

/** Long enough for a machine that has other work. */
const STEP_MS = 120_000;
/** How long what is planted may take to act. */
const PLANT_MS = 60_000;
const ASK_MS = 100;
/** It has nothing to do when it has not written for so long. */
const QUIET_MS = 1500;
const PORTS = 6;

/** Plays the life of a controller, in all arms at the same time. */
export async function playScenario(
  scenario: Scenario,
  programs: Programs,
  {
    assets,
    log,
    keep,
  }: { readonly assets: string; readonly log: (line: string) => void; readonly keep: boolean },
): Promise<Played> {
  const began = performance.now();
  const stage = await openStage(
    assets,
    ARMS.map((arm) => namespaceOf(scenario, arm)),
  );
  let child: Child | undefined;
  try {
    const run = await prepare(scenario, programs, stage);
    const start = async (program: string): Promise<void> => {
      await child?.stop();
      child = startChild(program, run.args, logOf(stage), stage.folder, run.env);
    };
    const life = await live(scenario, { programs, stage, start, places: run.places, log, user: run.user });
    if (child?.running !== true) life.broken.push(`it ended: ${child?.tail()}`);
    const writes = writesIn(await stage.server.auditEvents());
    const armOf = (namespace: string): Arm | undefined =>
      run.places.find((place) => place.namespace === namespace)?.arm;
    return {
      name: scenario.name,
      seconds: (performance.now() - began) / 1000,
      tally: tally(writes, { controller: run.user, armOf, plantedFrom: life.plantedFrom }),
      broken: life.broken,
      writes: writes.filter(({ namespace }) => armOf(namespace) !== undefined),
    };
  } finally {
    if (keep) log(`${readLog(stage).slice(-MOST_LOG)}\n${stage.managerOutput().slice(-MOST_LOG)}`);
    await child?.stop();
    await stage.stop();
  }
}

const MOST_LOG = 6000;
const logOf = ({ folder }: Stage): string => join(folder, 'controller.log');
/** Empty before the controller has started. */
const readLog = (stage: Stage): string => {
  const log = logOf(stage);
  return existsSync(log) ? readFileSync(log, 'utf8') : '';
};

const namespaceOf = ({ name }: Scenario, arm: Arm): string => `${name}-${arm}`;

type Run = {
  readonly places: readonly Place[];
  readonly user: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
};

/** Kinds, namespaces and policies, and the policies work. */
async function prepare(scenario: Scenario, programs: Programs, stage: Stage): Promise<Run> {
  const { name, resources, definitions = [] } = scenario;
  await installKinds(stage.admin, programs.definitions, definitions);
  const places = ARMS.map((arm) => ({ arm, namespace: namespaceOf(scenario, arm), client: stage.person }));
  for (const place of places) await makePlace(stage, place, resources);
  const user = `system:serviceaccount:${name}:${name}`;
  const ports = await Promise.all(Array.from({ length: PORTS }, () => freePort()));
  const kubeconfig = await writeControllerKubeconfig(stage, user);
  const certificates = await certificatesIn(stage.folder);
  const launch = { kubeconfig, folder: stage.folder, certificates, ports };
  await scenario.prepare?.(stage.person, launch);
  const { args, env } = scenario.launch(launch);
  return { places, user, args, env: { ...process.env, KUBECONFIG: kubeconfig, ...env } };
}

async function makePlace(
  { admin, person }: Stage,
  { arm, namespace }: Pick<Place, 'arm' | 'namespace'>,
  resources: Scenario['resources'],
): Promise<void> {
  await admin.create(corev1.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
    spec: {},
  });
  // Pods need it, and have a volume with its token.
  await become(`${namespace} has an account`, async () => {
    await admin.get(corev1.serviceaccounts, { namespace, name: 'default' });
    return true;
  });
  if (arm === 'plain') return;
  const names = [namespace];
  const probes = { apiGroups: [''], resources: ['configmaps'] };
  await createPolicy(admin, namespace, {
    mode: arm,
    namespaces: { names },
    resources: [probes, ...resources],
  });
  // A server may call a webhook a moment after it is configured.
  await become(`the policy of ${namespace} works`, async () => {
    const metadata = { namespace, name: `probe-${Date.now()}` };
    const probe = await person.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    return ANNOTATIONS.updaters in annotationsOf(probe);
  });
}

type Theatre = {
  readonly programs: Programs;
  readonly stage: Stage;
  readonly start: (program: string) => Promise<void>;
  readonly places: readonly Place[];
  readonly user: string;
  readonly log: (line: string) => void;
};

/** From the first start to the planted release. */
async function live(
  scenario: Scenario,
  { programs, stage, start, places, log, user }: Theatre,
): Promise<{ readonly broken: string[]; readonly plantedFrom: string | undefined }> {
  const broken: string[] = [];
  const rest = async (): Promise<void> => {
    if (!(await becomesQuiet(stage, user))) broken.push('it writes for ever');
  };
  const play = async (steps: readonly Step[], when: string): Promise<void> => {
    for (const step of steps) {
      log(`  ${when}: ${step.title}`);
      broken.push(...(await playStep(step, places)));
      await rest();
    }
  };
  // What it does by itself is over in all arms before a step changes anything: a deletion that comes before its first round
  // in one and after it in another is one round more there.
  const begin = async (program: string): Promise<void> => {
    await start(program);
    await rest();
  };
  await begin(programs.previous ?? programs.current);
  await play(scenario.steps, 'at first');
  await begin(programs.previous ?? programs.current);
  await play(scenario.later, 'after a restart');
  await begin(programs.current);
  if (programs.previous !== undefined) await play(scenario.later, 'after an upgrade');
  await rest();
  if (programs.planted === undefined) return { broken, plantedFrom: undefined };
  const plantedFrom = await auditTime();
  await start(programs.planted);
  log('  planted');
  if (scenario.provoke !== undefined)
    await Promise.all(places.map(async (place) => attempt(scenario.provoke as Step, place)));
  await seen(stage, plantedFrom);
  return { broken, plantedFrom };
}

/** In every arm; where nothing is checked, it has to succeed. */
async function playStep(step: Step, places: readonly Place[]): Promise<readonly string[]> {
  const results = await Promise.all(
    places.map(async (place) => ({ arm: place.arm, error: await attempt(step, place) })),
  );
  return results.flatMap(({ arm, error }) => {
    if (error === undefined) return [];
    assert(arm !== 'plain', `${step.title}: not without a policy either: ${errorText(error)}`);
    return [`${arm}: ${step.title}: ${errorText(error)}`];
  });
}

async function attempt({ title, act, until }: Step, place: Place): Promise<unknown> {
  try {
    await act(place);
    if (until !== undefined) await become(title, () => until(place));
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Waits for it. An object may not be there yet, and a server may be busy. */
async function become(what: string, condition: () => Promise<boolean>, within = STEP_MS): Promise<void> {
  const deadline = performance.now() + within;
  for (let error: unknown; ; ) {
    try {
      if (await condition()) return;
      error = undefined;
    } catch (reason) {
      error = reason;
    }
    const last = error === undefined ? '' : `: ${errorText(error)}`;
    assert(performance.now() < deadline, `not within ${within / 1000} s: ${what}${last}`);
    await sleep(ASK_MS);
  }
}

/**
 * Whether the controller has nothing more to write, after a while: but for a status, in which some note the time of each of
 * their rounds.
 */
async function becomesQuiet(stage: Stage, user: string): Promise<boolean> {
  const deadline = performance.now() + STEP_MS;
  for (let last = -1; performance.now() < deadline; ) {
    const writes = writesIn(await stage.server.auditEvents());
    const count = writes.filter((one) => one.user === user && !one.resource.endsWith('/status')).length;
    if (count === last) return true;
    last = count;
    await sleep(QUIET_MS);
  }
  return false;
}

/** The time of the audit log, which is that of this machine. */
async function auditTime(): Promise<string> {
  await sleep(ASK_MS);
  return new Date().toISOString().replace('Z', '000Z');
}

/** Waits for drift in both arms with a policy, for a while: what does not come is missed. */
async function seen(stage: Stage, from: string): Promise<void> {
  const both = async (): Promise<boolean> => {
    const drift = writesIn(await stage.server.auditEvents()).filter(
      ({ at, verdict }) => at >= from && verdict === 'drift',
    );
    return new Set(drift.map(({ namespace }) => namespace)).size >= 2;
  };
  await become('drift', both, PLANT_MS).catch(() => undefined);
}
