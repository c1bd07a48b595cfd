export { type CronSchedule, parseCronSchedule } from './schedule/cron-schedule.ts';
export { nextDue } from './schedule/next-due.ts';
export { formatTimeIn, isTimeZone } from './schedule/zone-offset.ts';
