import { readFileSync } from 'node:fs';

/** What Ginkgo writes with `--ginkgo.json-report`, as far as it is read here. */
type SpecReport = {
  readonly State: string;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly NumAttempts: number;
  readonly Failure?: { readonly Message?: string; readonly Location?: Location };
};
type Location = { readonly FileName?: string; readonly LineNumber?: number };

const MAX_MESSAGE = 300;

export type Outcome = {
  /** The title of each spec that passed; where several have the same, they are numbered. */
  readonly passed: ReadonlySet<string>;
  /** How many of these did not at their first attempt. */
  readonly again: number;
  /** Title of a spec, or name of what runs before all → why it failed. */
  readonly failures: ReadonlyMap<string, string>;
};

/** Reads the report of a run; nothing has passed where there is none. */
export function readReport(path: string): Outcome {
  const suites = readJson(path) as readonly { readonly SpecReports: readonly SpecReport[] | null }[];
  const passed = new Set<string>();
  const failures = new Map<string, string>();
  const titles = new Map<string, number>();
  let again = 0;
  for (const spec of suites.flatMap(({ SpecReports }) => SpecReports ?? [])) {
    const title = numbered(titleOf(spec), titles);
    if (spec.State === 'passed' && spec.LeafNodeType === 'It') {
      passed.add(title);
      if (spec.NumAttempts > 1) again += 1;
    }
    if (!['passed', 'pending', 'skipped'].includes(spec.State)) failures.set(title, failureOf(spec));
  }
  return { passed, again, failures };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return [];
  }
}

function titleOf({ LeafNodeType, LeafNodeText, ContainerHierarchyTexts }: SpecReport): string {
  return LeafNodeType === 'It' ? [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ') : LeafNodeType;
}

function numbered(title: string, titles: Map<string, number>): string {
  const count = (titles.get(title) ?? 0) + 1;
  titles.set(title, count);
  return count === 1 ? title : `${title} (${count})`;
}

/** In one line: the report has all of it. */
function failureOf({ State, Failure }: SpecReport): string {
  const { FileName = '', LineNumber = 0 } = Failure?.Location ?? {};
  const message = (Failure?.Message ?? '').replaceAll(/\s+/g, ' ');
  return `${State} at ${FileName}:${LineNumber}: ${message.slice(0, MAX_MESSAGE)}`;
}
