import { ApiError, type ResourceRef } from '@kubewright/client';
import type { CommandCall, CommandStage } from '../../../kit/operator.ts';
import { checkFound } from '../../../kit/run-list.ts';
import { describeScan } from './describe-scan.ts';
import { type KindScan, scanKind } from './scan-kind.ts';
import { scanFindings, type ScanReport, scanReport, type SkippedKind } from './scan-report.ts';

/** `kubewright owners scan`: every object with split ownership, by pair of managers. Only reads. */
export async function runScan({ options }: CommandCall, connect: () => Promise<CommandStage>): Promise<void> {
  const stage = await connect();
  const report = await scanCluster(options, stage);
  stage.print({ json: scanFindings(report), text: () => describeScan(report, stage.paint) });
  checkFound(options, report.pairs.length);
}

/** All objects with split ownership that the options of `scan` select. */
export async function scanCluster(
  { namespace, selector, kinds: named }: CommandCall['options'],
  stage: CommandStage,
): Promise<ScanReport> {
  const { client, signal, progress } = stage;
  const scans: KindScan[] = [];
  const skipped: SkippedKind[] = [];
  const kinds = await kindsToScan(named, namespace !== undefined, stage);
  for (const [index, ref] of kinds.entries()) {
    const onPage = (objects: number): void =>
      progress(`${index + 1} of ${kinds.length} kinds; ${nameOf(ref)}: ${objects} objects`);
    try {
      const where = ref.namespaced ? namespace : undefined;
      scans.push(await scanKind(client, ref, { namespace: where, labelSelector: selector, signal, onPage }));
    } catch (error) {
      if (!isSkippable(error)) throw error;
      skipped.push({ kind: nameOf(ref), problem: error.message });
    }
  }
  return scanReport(scans, skipped);
}

/** All kinds that are stored and can be listed, or those that people named; in a namespace only its kinds. */
async function kindsToScan(
  named: string | undefined,
  inNamespace: boolean,
  stage: CommandStage,
): Promise<readonly ResourceRef[]> {
  if (named !== undefined) {
    const refs: ResourceRef[] = [];
    const names = named.split(',').map((name) => name.trim());
    for (const name of names.filter((each) => each !== '')) refs.push(await stage.findResource(name));
    return refs;
  }
  const { resources } = await stage.discover();
  return resources
    .filter(({ ref, verbs }) => verbs.includes('list') && ref.stored !== false && !isEvent(ref))
    .map(({ ref }) => ref)
    .filter(({ namespaced }) => namespaced || !inNamespace);
}

/** Events are many, short-lived and never applied. */
function isEvent({ group, resource }: ResourceRef): boolean {
  return resource === 'events' && (group === '' || group === 'events.k8s.io');
}

/** A kind that this user may not list, or that a broken aggregated server serves, must not end the scan. */
function isSkippable(error: unknown): error is ApiError {
  return error instanceof ApiError && [403, 404, 405, 503].includes(error.code);
}

function nameOf({ group, resource }: ResourceRef): string {
  return group === '' ? resource : `${resource}.${group}`;
}
