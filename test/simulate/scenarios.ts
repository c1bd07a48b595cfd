import type { Scenario } from '@kubewright/cluster';
import { BESIDE_DRIFT } from './beside-drift.ts';
import { captureScenario } from './capture.ts';
import { schedulesScenario } from './capture-schedules.ts';
import { captureVariants } from './capture-variants.ts';
import { classesScenario } from './classes.ts';
import { classesVariants } from './classes-variants.ts';
import { copyScenario } from './copy.ts';
import { countedScenario } from './counted.ts';
import { driftScenario } from './drift.ts';
import { stylesScenario, stylesVariants } from './drift-styles.ts';
import { driftVariants, unannounced } from './drift-variants.ts';
import { electionScenario } from './election.ts';
import { evictionsScenario, unguarded } from './evictions.ts';
import { gcScenario } from './gc.ts';
import { gcVariants } from './gc-variants.ts';
import { checkpointScenario, migrationScenario } from './migration/migration.ts';
import { checkpointVariants, migrationVariants } from './migration/variants.ts';
import { nodesScenario } from './nodes.ts';
import { jobsScenario } from './jobs.ts';
import { jobsVariants } from './jobs-variants.ts';
import { ownershipScenario } from './ownership.ts';
import { forgetful, storageScenario } from './storage.ts';
import { synthesisScenario } from './synthesis.ts';
import { togetherScenario } from './together.ts';
import { webhooksScenario } from './webhooks.ts';
import { brokenBy, ownershipVariants, sharingVariants } from './ownership-variants.ts';
import { workloadVariants } from './workload/variants.ts';
import { workloadScenario } from './workload/workload.ts';

/** A scenario, and those of its variants that are broken on purpose. */
export type Entry = { readonly scenario: Scenario; readonly variants: Readonly<Record<string, Scenario>> };

export const SCENARIOS: Readonly<Record<string, Entry>> = {
  copy: {
    scenario: copyScenario(),
    variants: { unguarded: copyScenario({ without: 'guard' }), trusting: copyScenario({ without: 'live' }) },
  },
  ownership: {
    scenario: ownershipScenario(),
    variants: Object.fromEntries(
      Object.entries(ownershipVariants).map(([name, variant]) => [
        name,
        ownershipScenario(brokenBy(variant)),
      ]),
    ),
  },
  synthesis: {
    scenario: synthesisScenario(),
    variants: Object.fromEntries(
      Object.entries(sharingVariants).map(([name, variant]) => [
        name,
        synthesisScenario({ operator: brokenBy(variant) }),
      ]),
    ),
  },
  classes: {
    scenario: classesScenario(),
    variants: Object.fromEntries(
      Object.entries(classesVariants).map(([name, change]) => [name, classesScenario(change)]),
    ),
  },
  migration: {
    scenario: migrationScenario(),
    variants: Object.fromEntries(
      Object.entries(migrationVariants).map(([name, variant]) => [
        name,
        migrationScenario(undefined, variant),
      ]),
    ),
  },
  'migration-checkpoint': {
    scenario: checkpointScenario(),
    variants: Object.fromEntries(
      Object.entries(checkpointVariants).map(([name, variant]) => [name, checkpointScenario(variant)]),
    ),
  },
  capture: {
    scenario: captureScenario(),
    variants: Object.fromEntries(
      Object.entries(captureVariants).map(([name, changes]) => [name, captureScenario(changes)]),
    ),
  },
  'capture-schedules': { scenario: schedulesScenario(), variants: {} },
  drift: {
    scenario: driftScenario(),
    variants: Object.fromEntries(
      Object.entries(driftVariants).map(([name, tools]) => [name, driftScenario(tools)]),
    ),
  },
  'drift-styles': {
    scenario: stylesScenario(),
    variants: Object.fromEntries(
      Object.entries(stylesVariants).map(([name, tools]) => [name, stylesScenario(tools)]),
    ),
  },
  ...Object.fromEntries(
    Object.entries(BESIDE_DRIFT).map(([name, scenario]) => [
      `${name}-beside-drift`,
      { scenario, variants: {} },
    ]),
  ),
  together: {
    scenario: togetherScenario(),
    variants: { unannounced: togetherScenario(unannounced) },
  },
  gc: {
    scenario: gcScenario(),
    variants: Object.fromEntries(
      Object.entries(gcVariants).map(([name, tamper]) => [name, gcScenario(tamper)]),
    ),
  },
  storage: { scenario: storageScenario(), variants: { forgetful: storageScenario(forgetful) } },
  webhooks: {
    scenario: webhooksScenario('with a bundle that is due'),
    variants: { unguarded: webhooksScenario('with a bundle that is due', { guarded: false }) },
  },
  'webhooks-start': { scenario: webhooksScenario('with nothing'), variants: {} },
  counted: {
    scenario: countedScenario(),
    variants: { watching: countedScenario((_own, bare) => bare) },
  },
  jobs: {
    scenario: jobsScenario(),
    variants: Object.fromEntries(
      Object.entries(jobsVariants).map(([name, tamper]) => [name, jobsScenario(tamper)]),
    ),
  },
  evictions: { scenario: evictionsScenario(), variants: { unguarded: evictionsScenario(unguarded) } },
  workload: { scenario: workloadScenario(), variants: workloadVariants },
  nodes: { scenario: nodesScenario(), variants: { mortal: nodesScenario({ without: 'adoption' }) } },
  election: { scenario: electionScenario(), variants: { unfenced: electionScenario({ fenced: false }) } },
};

/** `ownership`, or `ownership/unguarded` for a variant. */
export function findScenario(name: string): Scenario | undefined {
  const [base = '', variant] = name.split('/');
  const entry = Object.hasOwn(SCENARIOS, base) ? SCENARIOS[base] : undefined;
  if (entry === undefined || variant === undefined) return entry?.scenario;
  return Object.hasOwn(entry.variants, variant) ? entry.variants[variant] : undefined;
}

export function scenarioNames(): readonly string[] {
  return Object.entries(SCENARIOS).flatMap(([name, { variants }]) => [
    name,
    ...Object.keys(variants).map((variant) => `${name}/${variant}`),
  ]);
}
