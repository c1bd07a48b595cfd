/** One value of an instant vector. */
export type Series = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

/** Evaluates PromQL. Rejects when there is no response, which is not the same as an empty one. */
export type MetricsSource = {
  query(promql: string, signal: AbortSignal): Promise<readonly Series[]>;
};
