import { type KubeObject, parseTime } from '@kubewright/kube';
import { ANNOTATIONS } from '../api.ts';
import { readAnnotation } from '../annotations/read-annotation.ts';
import { freezeOf } from '../annotations/freeze-of.ts';
import { placeIn, placeKey, placeOf } from '../annotations/place-of.ts';
import {
  brakeReport,
  type DriftReport,
  driftReport,
  type Resolution,
  resolved,
  type ReportedChange,
} from './drift-report.ts';

/** A drift from the first report to the last, which all have the id of the first. Plain JSON, to be stored. */
export type Episode = {
  readonly report: DriftReport;
  /** Identifies the change that was last attempted. */
  readonly change: string;
  /** The parent under which it is drift. */
  readonly parent: { readonly uid: string; readonly generation: number; readonly trace: string };
  /** RFC 3339: when the change was last attempted. */
  readonly seen: string;
  /** Of a brake: its freeze was seen on the parent. */
  readonly isFrozen?: boolean;
};

/** The drifts that are reported and not resolved, by child. */
export type Episodes = {
  /** Reports what a decision means for the child's drift. */
  decided(change: ReportedChange): void;
  /** The drift of a parent that has changed is resolved: whatever its controller does now is expected. */
  parentSeen(parent: KubeObject): void;
  /** Resolves what was not attempted for a while. */
  expire(): void;
};

type EpisodesOptions = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly emit: (report: DriftReport) => void;
  /** Called with all episodes when they change. */
  readonly save: (episodes: readonly Episode[]) => void;
  /** Those of the process before. */
  readonly stored?: readonly Episode[];
};

/** A controller that wanted a change would have tried again by then: its backoff is at most 17 minutes. */
export const QUIET_MS = 20 * 60_000;
/** The oldest is resolved to make room. */
const MOST = 1000;
/** A later attempt of the same change is stored no more often than this. */
const SAVE_MS = 60_000;

export function createEpisodes(options: EpisodesOptions): Episodes {
  const ledger = createLedger(options);
  const { now } = options;
  const parentSeen = (parent: KubeObject): void => {
    for (const episode of ledger.all()) {
      if (episode.parent.uid !== uidOf(parent)) continue;
      if (isBrake(episode)) brakedSeen(parent, episode, ledger);
      else if (hasChanged(episode, parent)) ledger.resolve(episode, 'ParentChanged');
    }
  };
  return {
    decided(change) {
      const { parent } = change.facts;
      if (parent !== undefined) parentSeen(parent);
      const episode = ledger.of(placeKey(placeOf(change.review.object)));
      const brake = brakeReport(change);
      if (brake !== undefined && parent !== undefined) ledger.report(brake, parent, undefined);
      if (change.decision.reason === 'Drift') driftSeen(change, episode, ledger);
      else if (change.decision.reason === 'Approved') approvalSeen(change, episode, ledger, options);
      else if (episode !== undefined && isGone(change)) ledger.resolve(episode, 'Deleted');
    },
    parentSeen,
    expire() {
      for (const episode of ledger.all())
        if (now() - timeOf(episode) >= QUIET_MS && episode.isFrozen !== true)
          ledger.resolve(episode, 'NotRepeated');
    },
  };
}

type Ledger = {
  all(): readonly Episode[];
  of(key: string): Episode | undefined;
  /** Reports an attempt that differs from the one before. */
  report(report: DriftReport, parent: KubeObject, before: Episode | undefined): void;
  seenAgain(episode: Episode): void;
  seenFrozen(episode: Episode): void;
  resolve(episode: Episode, why: Resolution): void;
};

/** The episodes, saved whenever they change. */
function createLedger({ now, emit, save, stored = [] }: EpisodesOptions): Ledger {
  const open = new Map(stored.map((one) => [childKey(one.report), one]));
  const seen = (): string => new Date(now()).toISOString();
  const store = (episode: Episode): void => {
    const key = childKey(episode.report);
    // The latest is the last.
    open.delete(key);
    open.set(key, episode);
    save([...open.values()]);
  };
  const resolve = (episode: Episode, why: Resolution): void => {
    open.delete(childKey(episode.report));
    save([...open.values()]);
    emit(resolved(episode.report, why));
  };
  return {
    all: () => [...open.values()],
    of: (key) => open.get(key),
    report(report, parent, before) {
      const latest = before === undefined ? report : updated(report, before);
      store({ report: latest, change: report.spec.id, parent: stateOf(parent), seen: seen() });
      emit(latest);
      const [oldest] = open.values();
      if (open.size > MOST && oldest !== undefined) resolve(oldest, 'TooMany');
    },
    seenAgain(episode) {
      if (now() - timeOf(episode) >= SAVE_MS) store({ ...episode, seen: seen() });
    },
    seenFrozen: (episode) => store({ ...episode, isFrozen: true }),
    resolve,
  };
}

/** A brake is over when somebody has ended its freeze. */
function brakedSeen(parent: KubeObject, episode: Episode, ledger: Ledger): void {
  const isFrozen = freezeOf(parent) !== undefined;
  if (isFrozen && episode.isFrozen !== true) ledger.seenFrozen(episode);
  else if (!isFrozen && episode.isFrozen === true) ledger.resolve(episode, 'Unfrozen');
}

const isBrake = ({ report: { spec } }: Episode): boolean => spec.brake !== undefined;

function driftSeen(change: ReportedChange, episode: Episode | undefined, ledger: Ledger): void {
  // None while the parent is snoozed.
  const report = driftReport(change);
  const { parent } = change.facts;
  const isNews = report !== undefined && episode?.change !== report.spec.id;
  if (isNews && parent !== undefined) ledger.report(report, parent, episode);
  else if (episode !== undefined) ledger.seenAgain(episode);
}

function approvalSeen(
  change: ReportedChange,
  episode: Episode | undefined,
  ledger: Ledger,
  { emit }: EpisodesOptions,
): void {
  const report = driftReport(change);
  if (report === undefined) return;
  if (episode !== undefined) ledger.resolve(episode, 'Approved');
  // Another replica may have reported it.
  else emit(report);
}

function isGone({ review, decision }: ReportedChange): boolean {
  return review.operation === 'DELETE' && decision.allowed;
}

/** The report of another attempt, under the identity of the first. */
function updated(report: DriftReport, { report: first }: Episode): DriftReport {
  return { ...report, spec: { ...report.spec, id: first.spec.id, phase: 'Updated' } };
}

function stateOf(parent: KubeObject): Episode['parent'] {
  const { generation = 0 } = parent.metadata;
  return { uid: uidOf(parent), generation, trace: traceText(parent) };
}

/**
 * Whether somebody has changed what the parent says. Annotations raise the generation of a Deployment too; its trace is
 * replaced only with its spec.
 */
function hasChanged({ parent: before }: Episode, parent: KubeObject): boolean {
  const now = stateOf(parent);
  if (now.generation <= before.generation) return false;
  return before.trace === '' || now.trace !== before.trace;
}

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';
const traceText = (parent: KubeObject): string => readAnnotation(parent, ANNOTATIONS.trace) ?? '';
const timeOf = ({ seen }: Episode): number => parseTime(seen).getTime();

/** That of the child; a brake is about its parent. */
function childKey({ spec: { child, parent, brake } }: DriftReport): string {
  return brake === undefined ? placeKey(placeIn(child)) : `brake ${placeKey(placeIn(parent))}`;
}
