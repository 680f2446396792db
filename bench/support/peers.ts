import { type RunningProgram, startProgram } from './programs.ts';

export type Peer = RunningProgram & { port: number };

/** Starts a program of `bench/peers`. */
export async function startPeer(file: URL, args: readonly string[] = []): Promise<Peer> {
  const program = await startProgram('node', [file.pathname, ...args]);
  const { port } = JSON.parse(program.line) as { port: number };
  return { ...program, port };
}
