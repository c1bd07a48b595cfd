import type { RequestForm } from '../../../packages/operators/src/classes/class-load.ts';

/** A source of metrics that runs, and takes samples of any time. */
export type Source = {
  readonly name: string;
  readonly url: string;
  /** Parameters of each query. */
  readonly parameters: string;
  readonly writes: readonly Write[];
  /** The forms of histograms that it knows. */
  readonly forms: readonly RequestForm[];
  /** Resolves when what was written can be queried. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

/** Where samples are written to, one for each replica, and how much earlier that one has taken them: milliseconds. */
export type Write = { readonly url: string; readonly earlierMs: number };

/** Programs from which one or more sources are started. */
export type SourceProgram = {
  readonly name: string;
  /** Undefined where it is not there. */
  readonly path: string | undefined;
  /** How to have it. */
  readonly missing: string;
  start(path: string): Promise<readonly Source[]>;
};

/** What is written is of months ago. */
export const KEPT = '10y';
