import { type batchv1, compareText, type Stored } from '@kubewright/kube';

type Job = Stored<batchv1.Job>;

/** The condition by which a Job is over. */
export function endOf({ status }: Job): 'Complete' | 'Failed' | undefined {
  const end = status?.conditions?.find(
    ({ type, status: holds }) => (type === 'Complete' || type === 'Failed') && holds === 'True',
  );
  return end?.type as 'Complete' | 'Failed' | undefined;
}

/** Jobs that are over and more than the history keeps, the oldest first. */
export function oldJobs({ spec }: Stored<batchv1.CronJob>, jobs: readonly Job[]): readonly Job[] {
  const beyond = (end: 'Complete' | 'Failed', limit = Number.POSITIVE_INFINITY): readonly Job[] => {
    const ended = jobs.filter((job) => endOf(job) === end).sort(byStart);
    return ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [
    ...beyond('Complete', spec.successfulJobsHistoryLimit),
    ...beyond('Failed', spec.failedJobsHistoryLimit),
  ];
}

/** Times of this form sort as texts; a Job that never began is the youngest. */
function byStart(a: Job, b: Job): number {
  const [first = '~', second = '~'] = [a.status?.startTime, b.status?.startTime];
  return compareText(first, second) || compareText(a.metadata.name, b.metadata.name);
}
