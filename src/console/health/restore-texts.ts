import { roomTexts } from '../room-texts.ts';

export const RESTORE_TEXTS = roomTexts(
  {
    'restore.title': 'Restauración',
    'restore.holds':
      'La base se restauró: los callbacks, las devoluciones y los pagos a terceros esperan hasta que alguien la libere.',
    'restore.none': 'Nada está detenido: ninguna restauración espera que la liberen.',
    'restore.released': 'La última restauración fue el {at}. La liberó {by} el {on}.',
    'restore.begin':
      'Una restauración se declara con el servicio detenido, así que no tiene pantalla: quien administra la máquina usa restore, o after-restore si la base se restauró con sus propias herramientas.',
    'restore.at': 'La base se restauró el {at}.',
    'restore.gap': 'Lo último que sabe es del {until}, {age} antes: de lo que pasó desde entonces no sabe nada.',
    'restore.no_gap': 'La base no tiene eventos, así que nada muestra qué tan antigua es: compara todo lo anterior.',
    'restore.anchors': 'Sellos de los libros sobre lo que se perdió: {count}. Al liberar aceptas esa pérdida.',
    'restore.held':
      'Hasta que una persona la libere no salen callbacks, devoluciones ni pagos a terceros, y las órdenes de antes no se pueden pagar ni vencen. Las órdenes nuevas se cobran.',
    'restore.waits': 'Qué espera',
    'restore.pending': 'Órdenes pendientes: alguien pudo pagarlas',
    'restore.payments': 'Pagos sin final',
    'restore.refunds': 'Devoluciones sin final: antes de pedirlas se le pregunta al medio',
    'restore.payouts': 'Pagos a terceros aprobados',
    'restore.payouts_leave': 'Suman {amount}. Al liberar, un proveedor recibe {leave} de ellos.',
    'restore.callbacks': 'Callbacks que salen al liberar',
    'restore.first': 'En esta página: {n}.',
    'restore.compare': 'Qué comparar antes',
    'restore.compare_payments': 'Pagos: pide al adquirente su archivo del tiempo perdido, y compáralo con los libros.',
    'restore.compare_refunds': 'Devoluciones: las que el adquirente hizo y aquí no están. No las pidas otra vez.',
    'restore.compare_payouts':
      'Pagos a terceros: los que el banco ya pagó pueden estar aprobados otra vez. Retíralos: al liberar salen.',
    'restore.compare_shops': 'Tiendas: dales el período. Conocen órdenes que aquí ya no están.',
    'restore.compare_people':
      'Personas y tokens: repite lo que se cambió o terminó en ese tiempo, primero lo que se desactivó.',
    'restore.heads': 'Dónde terminan los libros',
    'restore.link': 'Eslabón',
    'restore.release': 'Liberar',
    'restore.compared': 'Lo comparé con los medios de pago, el banco y las tiendas',
    'restore.not_compared': 'Marca que lo comparaste. No se liberó nada.',
    'restore.stays':
      'No se puede deshacer: lo que espera empieza a salir en un segundo. Queda para siempre que tú aceptas la pérdida, y por qué.',
    'restore.confirm': 'Aceptar la pérdida y liberar',
    'restore.another': 'La libera {who}.',
    'restore.other': 'Ahora espera otra restauración, y no se liberó nada. Mírala otra vez.',
  },
  {
    'restore.title': 'Restore',
    'restore.holds': 'The store was restored: callbacks, refunds and payouts wait until somebody releases it.',
    'restore.none': 'Nothing is held: no restore waits for its release.',
    'restore.released': 'The last restore was at {at}. {by} released it at {on}.',
    'restore.begin':
      'A restore is declared while the service is stopped, so it has no screen: the person who runs the machine uses restore, or after-restore if the database was restored with its own tools.',
    'restore.at': 'The store was restored at {at}.',
    'restore.gap':
      'The newest event that it knows is of {until}, {age} earlier: it knows nothing of what happened since.',
    'restore.no_gap': 'The store has no event, so nothing shows how old it is: compare everything before the restore.',
    'restore.anchors': 'Anchors of the books about what was lost: {count}. With the release you accept that loss.',
    'restore.held':
      'Until a person releases it, no callbacks, refunds or payouts leave, and orders from before can neither be paid nor expire. New orders are paid.',
    'restore.waits': 'What waits',
    'restore.pending': 'Pending orders: somebody may have paid them',
    'restore.payments': 'Payments without an end',
    'restore.refunds': 'Refunds without an end: the method is asked about each before it is requested',
    'restore.payouts': 'Approved payouts',
    'restore.payouts_leave': '{amount} in all. At the release a provider gets {leave} of them.',
    'restore.callbacks': 'Callbacks that leave at the release',
    'restore.first': 'Shown here: {n}.',
    'restore.compare': 'What to compare before',
    'restore.compare_payments': 'Payments: get the acquirer’s file of the lost time, and compare it with the books.',
    'restore.compare_refunds':
      'Refunds: those that the acquirer made and that are not here. Do not ask for them again.',
    'restore.compare_payouts':
      'Payouts: those that the bank has paid may be approved again. Take them back: they leave at the release.',
    'restore.compare_shops': 'Shops: tell them the period. They know orders that are no longer here.',
    'restore.compare_people':
      'People and tokens: repeat what was changed or ended in that time, and start with what was disabled.',
    'restore.heads': 'Where the books end',
    'restore.link': 'Link',
    'restore.release': 'Release',
    'restore.compared': 'I compared it with the payment methods, the bank and the shops',
    'restore.not_compared': 'Tick that you compared it. Nothing was released.',
    'restore.stays':
      'It cannot be undone: what waits starts to leave within a second. It stays for ever that you accept the loss, and why.',
    'restore.confirm': 'Accept the loss and release',
    'restore.another': 'It is released by {who}.',
    'restore.other': 'Another restore waits now, and nothing was released. Look at it again.',
  },
);
