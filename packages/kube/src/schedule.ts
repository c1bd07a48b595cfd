export { type CronSchedule, parseCronSchedule } from './schedule/cron-schedule.ts';
export { type DueTime, lastDue } from './schedule/last-due.ts';
export { nextDue } from './schedule/next-due.ts';
export { formatTimeIn, isTimeZone } from './schedule/zone-offset.ts';
