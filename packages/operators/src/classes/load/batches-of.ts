import { podWorkload, type LoadTarget, type QueryScope } from './load-queries.ts';
import type { MetricsAnswer, Series } from './metrics-source.ts';

/** Workloads of one namespace that are read with the same queries. */
export type Batch = {
  readonly targets: readonly LoadTarget[];
  /** One for each query of a signal; several where one workload has more pods than a query may name. */
  readonly scopes: readonly QueryScope[];
};

/** Characters of the names in one query. VictoriaMetrics reads no query of more than 16 KiB, and quoting makes names longer. */
const LONGEST = 12_000;
/** The most pods of one workload in one query. */
const CHUNK = 50;

/** Workloads whose pods' names say to which they belong are read together. */
export function batchesOf(targets: readonly LoadTarget[]): readonly Batch[] {
  const groups = new Map<string, LoadTarget[]>();
  const alone: LoadTarget[] = [];
  const taken = new Set<string>();
  for (const target of targets) {
    const name = nameOf(target);
    const key = name === undefined || taken.has(`${target.namespace}/${name}`) ? undefined : keyOf(target);
    if (key === undefined) alone.push(target);
    else {
      taken.add(`${target.namespace}/${name}`);
      groups.set(key, [...(groups.get(key) ?? []), target]);
    }
  }
  return [
    ...[...groups.values()].flatMap((group) => shared(group)),
    ...alone.map((target) => single(target)),
  ];
}

function keyOf({ namespace, range, knative, histograms }: LoadTarget): string {
  return JSON.stringify([namespace, range, knative?.dialect, histograms]);
}

/** The workload of all its pods, as their names have it, or the Service; undefined where they do not say one. */
function nameOf(target: LoadTarget): string | undefined {
  if (lengthOf(target) > LONGEST || podsOf(target).length > CHUNK) return undefined;
  if (target.knative !== undefined) return target.knative.service;
  const [name, ...others] = new Set(podsOf(target).map((pod) => podWorkload(pod)));
  return others.length === 0 ? name : undefined;
}

function podsOf({ pods, gone = [] }: LoadTarget): readonly string[] {
  return [...pods, ...gone];
}

function lengthOf(target: LoadTarget): number {
  return podsOf(target).reduce((sum, pod) => sum + pod.length + 1, target.knative?.service.length ?? 0);
}

/** As many to a query as fit. */
function shared(targets: readonly LoadTarget[]): readonly Batch[] {
  const batches: LoadTarget[][] = [];
  let room = 0;
  for (const target of targets) {
    const length = lengthOf(target);
    if (length > room || batches.length === 0) {
      batches.push([]);
      room = LONGEST;
    }
    room -= length;
    batches.at(-1)?.push(target);
  }
  return batches.map((all) => ({ targets: all, scopes: [scopeOf(all)] }));
}

function scopeOf(targets: readonly LoadTarget[]): QueryScope {
  const [first = { namespace: '', range: '1m', knative: undefined, histograms: undefined }] = targets;
  const { namespace, range, knative, histograms } = first;
  const services = targets.flatMap((target) => target.knative?.service ?? []);
  return {
    namespace,
    range,
    pods: targets.flatMap(({ pods }) => pods),
    gone: targets.flatMap(({ gone = [] }) => gone),
    knative: knative && { services, dialect: knative.dialect },
    histograms,
    isShared: true,
  };
}

/** The pods that are gone are in the first. Of Knative, requests are counted by Service: each has the same query. */
function single(target: LoadTarget): Batch {
  const { namespace, range, pods, gone = [], knative, histograms } = target;
  const requests = knative && { services: [knative.service], dialect: knative.dialect };
  const scopes = Array.from({ length: Math.ceil(pods.length / CHUNK) }, (_, index) => ({
    namespace,
    range,
    pods: pods.slice(index * CHUNK, (index + 1) * CHUNK),
    gone: index === 0 ? gone : [],
    knative: requests,
    histograms,
    isShared: false,
  }));
  return { targets: [target], scopes };
}

/** What an answer for a batch has of one of its workloads. */
export function partOf({ series, ...rest }: MetricsAnswer, target: LoadTarget): MetricsAnswer {
  const pods = new Set(podsOf(target));
  const name = nameOf(target);
  const isIts = ({ labels }: Series): boolean => {
    const { pod, workload, kn_service_name, service_name } = labels;
    const service = kn_service_name ?? service_name;
    if (target.knative !== undefined && service !== undefined) return service === target.knative.service;
    if (pod !== undefined) return pods.has(pod);
    return workload === undefined || workload === name;
  };
  return { ...rest, series: series.filter(isIts) };
}
