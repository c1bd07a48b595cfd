/** A metric as it is declared, before it has a value. */
export type DeclaredMetric = {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
};

/** What an operator adds to the metrics of its manager. */
export type DeclaredMetrics = {
  /** Values of the label `controller` of the metrics that every manager has. */
  readonly controllers: readonly string[];
  /** Of the label `webhook`, as a regular expression each. */
  readonly webhooks: readonly string[];
  readonly own: readonly DeclaredMetric[];
};
