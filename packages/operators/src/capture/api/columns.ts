/** Printer columns that several kinds have. */
export const COLUMNS = {
  ready: { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  reason: { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  message: {
    name: 'Message',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].message',
    priority: 1,
  },
  age: { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
} as const;
