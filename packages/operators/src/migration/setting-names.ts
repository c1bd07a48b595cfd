/** Environment variables, each with one line for help. */
export const SETTING_NAMES = {
  MS2M_CONSUMER_SECS: "how long a migration waits for the source pod's consumer to report; default 30",
  MS2M_STEP_SECS: 'how long one step of a handover may take before it is undone; default 600',
  MS2M_PAUSE_SECS: 'how long nobody may consume before a handover is undone; default 60',
  MS2M_STALL_SECS: 'a target that came no closer for this long is cut off as it is; default 5',
  MS2M_CUT_LAG: 'with so few messages left to apply the source is stopped; default 50',
  MS2M_MIRROR_LENGTH: 'messages that a mirror queue holds at most; default 1000000',
} as const;
