import type { Manager } from '@kubewright/runtime';
import { Gauge } from 'prom-client';
import { CAPTURE_SCHEDULES } from '../api/capture-schedule.ts';
import { overdueMs } from './due-run.ts';

/** Read from the cache when somebody asks. Alerts need no interval of the schedule: it is in the value. */
export function addOverdueMetric({ cache, clock, registry }: Manager): void {
  registry.registerMetric(
    new Gauge({
      name: 'capture_schedule_overdue_seconds',
      help: 'For how long a run of a CaptureSchedule should have succeeded that has not, by namespace and name; 0 without one',
      labelNames: ['namespace', 'name'],
      registers: [],
      collect() {
        this.reset();
        for (const schedule of cache.list(CAPTURE_SCHEDULES)) {
          const { namespace, name } = schedule.metadata;
          this.set({ namespace, name }, overdueMs(schedule, clock.now()) / 1000);
        }
      },
    }),
  );
}
