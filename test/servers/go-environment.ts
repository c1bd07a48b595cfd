/** Of the programs of Kubernetes, which live for a suite: a heap that may grow saves an eighth of the processor time. */
export function goEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, GOGC: process.env['GOGC'] ?? '400' };
}
