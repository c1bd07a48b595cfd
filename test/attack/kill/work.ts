/** What an operator is given to do while the manager is killed again and again. */
export type Work = {
  readonly name: string;
  /** Creates what it needs. */
  prepare(): Promise<void>;
  /** Asks for something in this round. Resolves when the API server has stored it, however often it takes. */
  begin(round: number): Promise<void>;
  /** What is not as it should be, a line each. It is called until there is none, or time is over. */
  faults(): Promise<readonly string[]>;
  close?(): Promise<void>;
};
