import type { App } from '../app.ts';
import type { InBoth } from '../error-catalogue.ts';
import {
  measureOpenMoves,
  type OpenMove,
  type OpenMoveFilter,
  selectOpenMoves,
} from '../payment-services/open-move-queries.ts';
import type { AttentionKind, Waiting } from './attention.ts';

const MINUTE = 60_000;

/** Moves that have stopped: the payment service may be served nowhere until a person continues. */
export const MOVE_ATTENTION: AttentionKind = {
  kind: 'move',
  nouns: ['move that has not ended', 'moves that have not ended'],
  measure: (app) => measureOpenMoves(app.db, filterOf(app)),
  list: async (app, limit) => (await selectOpenMoves(app.db, filterOf(app), limit)).map(waitingMove),
};

/** Arriving takes a moment, copying up to hours. */
function filterOf(app: App): OpenMoveFilter {
  return { copying: app.now() - 60 * MINUTE, left: app.now() - MINUTE };
}

function waitingMove(move: OpenMove): Waiting {
  const { payment_service_id, name, since } = move;
  const isLeft = move.state === 'moved';
  return {
    payment_service: payment_service_id,
    name: name ?? '—',
    environment: '—',
    transaction: null,
    id: move.id,
    since,
    amount: null,
    currency: null,
    reason: isLeft ? sayLeft(move) : move.direction === 'out' ? sayCopied(move) : sayCopiedHere(move),
    command: `bin/rubrica payment-service move ${payment_service_id} --to FILE, or with --undo to end it${move.direction === 'in' ? '; where it comes from' : ''}`,
  };
}

function sayLeft({ address }: OpenMove): InBoth {
  return {
    en: `it has left for ${address} and is not known to have arrived: until it does nobody serves it`,
    es: `salió hacia ${address} y no se sabe que haya llegado: mientras no llegue, nadie lo atiende`,
  };
}

function sayCopied({ address }: OpenMove): InBoth {
  return {
    en: `it is being copied to ${address}, and no other can move meanwhile: if no command goes on with it, call it again`,
    es: `se está copiando a ${address}, y mientras tanto ningún otro puede moverse: si ningún comando sigue con ello, llámalo de nuevo`,
  };
}

function sayCopiedHere({ address }: OpenMove): InBoth {
  return {
    en: `a copy from ${address} began to arrive here and has stopped: it is served there, or nowhere if it has left there`,
    es: `una copia desde ${address} empezó a llegar aquí y se detuvo: se atiende allá, o en ninguna parte si ya salió de allá`,
  };
}
