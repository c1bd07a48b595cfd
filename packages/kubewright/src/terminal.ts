/** The environment of a command. Tests make their own. */
export type Terminal = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Replaces the line that shows how far a command is. Absent where stderr is no terminal. */
  readonly progress?: (line: string) => void;
  /** In columns; absent where stdout is no terminal. */
  readonly width?: number;
  /** Colour only on a TTY, unless NO_COLOR is set. */
  readonly colour: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Called by a command that works on for so long after the signal. Five seconds more, and the process is ended. */
  readonly worksOn?: (ms: number) => void;
};
