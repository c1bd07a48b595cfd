/** One value of an instant vector. */
export type Series = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

/** Where PromQL is evaluated. Rejects where there is no answer: that is not an empty one. */
export type MetricsSource = {
  query(promql: string, signal: AbortSignal): Promise<readonly Series[]>;
};
