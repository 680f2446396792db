import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { outputOf } from './child-process.ts';
import { findFreePort } from './free-port.ts';
import { makeOwnedFolder } from './owned-folder.ts';
import { quickFolder } from './quick-folder.ts';
import { pathOf } from './system-programs.ts';

export type ThrowawayPostgres = {
  url: string;
  /** Kills the server, like a crash, and restarts it; it recovers from its write-ahead log. */
  crash(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts an empty PostgreSQL cluster on 127.0.0.1 in a new folder. With `durable: false` it never flushes its files:
 * the tests take half the time, and a crash of the machine may lose data. `settings` are lines of `postgresql.conf`
 * that override those here.
 *
 * A shell owns the cluster and removes it when the shell's standard input ends. So the cluster ends with this process,
 * even if the process is killed. The shell has a separate session, so that Ctrl-C cannot reach it before it has cleaned
 * up.
 */
export async function startThrowawayPostgres({
  durable = true,
  settings = [],
}: {
  durable?: boolean;
  settings?: readonly string[];
} = {}): Promise<ThrowawayPostgres> {
  const binaries = dirname(pathOf('initdb'));
  // PostgreSQL refuses socket paths over about 100 characters, so the folder is not in TMPDIR, which may be longer.
  const folder = makeOwnedFolder(durable ? '/tmp' : quickFolder('/tmp'), 'rubrica-postgres');
  const account = await serverAccount();
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  const port = await findFreePort();
  const flushes = durable ? 'on' : 'off';
  const args = [binaries, folder, String(port), flushes, settings.join('\n')];
  const keeper = spawn(pathOf('sh'), ['-c', keeperScript, 'sh', ...args], {
    ...account,
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(keeper, 'exit');
  const [line] = await Promise.race([once(createInterface(keeper.stdout), 'line'), ended]);
  if (line !== 'ready') throw new Error(`PostgreSQL did not start; the programs in ${binaries} were used`);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    crash: async () => {
      const files = ['-D', join(folder, 'data'), '-l', join(folder, 'server.log')];
      const args = [...files, '-w', '-m', 'immediate', 'restart'];
      await outputOf('pg_ctl', args, { ...account, cwd: folder });
    },
    stop: async () => {
      keeper.stdin.end();
      await ended;
    },
  };
}

const keeperScript = `
bin=$1 folder=$2 port=$3 flushes=$4 settings=$5 data=$2/data
trap 'cd /; "$bin/pg_ctl" -D "$data" -m immediate stop >/dev/null 2>&1; rm -rf "$folder"' EXIT
"$bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --no-locale >"$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; exit 1; }
cat >>"$data/postgresql.conf" <<END
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$folder'
max_connections = 200
shared_buffers = 64MB
max_wal_size = 256MB
fsync = $flushes
full_page_writes = $flushes
END
# Nothing of it will ever be restored, and its tables are too small for the work that the background would do. Planning
# a statement anew for each of its first values took a twelfth of a test's time.
[ "$flushes" = on ] || cat >>"$data/postgresql.conf" <<END
wal_level = minimal
max_wal_senders = 0
checkpoint_timeout = 1h
autovacuum = off
jit = off
plan_cache_mode = force_generic_plan
END
printf '%s\\n' "$settings" >>"$data/postgresql.conf"
"$bin/pg_ctl" -D "$data" -l "$folder/server.log" -w start >/dev/null || { cat "$folder/server.log" >&2; exit 1; }
echo ready
cat >/dev/null
`;

/**
 * Returns the account for PostgreSQL, which does not run as root; undefined if this process is not root and can run it
 * itself.
 */
async function serverAccount(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = async (flag: string) => Number(await outputOf('id', [flag, 'postgres']));
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}
