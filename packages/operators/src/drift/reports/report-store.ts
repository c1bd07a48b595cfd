import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import type { Logger } from '@kubewright/runtime';
import { jsonOf } from '../annotations/read-annotation.ts';
import { OperatorError } from '../../operator-error.ts';
import type { Episode } from './create-episodes.ts';
import type { DriftReport } from './drift-report.ts';

/** A report that a backend has yet to acknowledge. Names sort by age. */
export type Waiting = { readonly name: string; readonly report: DriftReport };

/** What survives the process. Calls return when it is written: drift is rare, and a report a few kilobytes. */
export type ReportStore = {
  episodes(): readonly Episode[];
  saveEpisodes(episodes: readonly Episode[]): void;
  /** The oldest first. */
  waiting(backend: string): readonly Waiting[];
  put(backend: string, one: Waiting): void;
  remove(backend: string, one: Waiting): void;
};

const EPISODES = 'episodes.json';
const SUFFIX = '.json';

/** Files of a folder, which one process alone uses. A write that fails is logged: the report is still sent. */
export function storeIn(folder: string, log: Logger): ReportStore {
  const folderOf = (backend: string): string => join(folder, backend);
  const attempt = (write: () => void): void => {
    try {
      write();
    } catch (error) {
      log.error('cannot write the outbox', { folder, error: errorText(error) });
    }
  };
  make(folder);
  return {
    episodes() {
      const stored = readJson(join(folder, EPISODES));
      return isJsonArray(stored) ? stored.filter(isEpisode) : [];
    },
    saveEpisodes: (episodes) => attempt(() => writeJson(join(folder, EPISODES), episodes)),
    waiting(backend) {
      make(folderOf(backend));
      const names = readdirSync(folderOf(backend)).filter((name) => name.endsWith(SUFFIX));
      return names.toSorted().flatMap((name) => {
        const report = readJson(join(folderOf(backend), name));
        return isReport(report) ? [{ name, report }] : [];
      });
    },
    put: (backend, { name, report }) => attempt(() => writeJson(join(folderOf(backend), name), report)),
    remove: (backend, { name }) => attempt(() => rmSync(join(folderOf(backend), name), { force: true })),
  };
}

/** In memory alone. */
export const forgetful: ReportStore = {
  episodes: () => [],
  saveEpisodes: () => undefined,
  waiting: () => [],
  put: () => undefined,
  remove: () => undefined,
};

function make(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new OperatorError('Usage', `the outbox is not a folder to write to: ${errorText(error)}`, {
      cause: error,
    });
  }
}

/** By a name of its own first: a crash leaves no half of a file behind. */
function writeJson(file: string, value: Episode | DriftReport | readonly Episode[]): void {
  writeFileSync(`${file}.tmp`, JSON.stringify(value), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

function readJson(file: string): Json | undefined {
  try {
    return jsonOf(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function isReport<T extends Json>(value: T | undefined): value is T & DriftReport {
  const spec = isJsonObject(value) ? value['spec'] : undefined;
  if (!isJsonObject(spec)) return false;
  return typeof spec['id'] === 'string' && [spec['child'], spec['parent']].every(isJsonObject);
}

function isEpisode(value: Json): value is JsonObject & Episode {
  if (!isJsonObject(value)) return false;
  const { report, parent, change, seen } = value;
  return isReport(report) && isJsonObject(parent) && typeof change === 'string' && typeof seen === 'string';
}
