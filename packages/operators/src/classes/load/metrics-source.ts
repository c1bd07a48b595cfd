/** One value of an instant vector. */
export type Series = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

export type MetricsAnswer = {
  readonly series: readonly Series[];
  /** Why there may be more that the source has not read, in its own words. Absent: it has read all that it has. */
  readonly warning?: string | undefined;
};

/** Evaluates PromQL. Rejects when there is no response, which is not the same as an empty one. */
export type MetricsSource = {
  query(promql: string, signal: AbortSignal): Promise<MetricsAnswer>;
};
