import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, OwnDevice } from '../../../calls.ts';
import { timeNow } from '../../../platform/clock.ts';
import {
  EMPTY,
  type NetworkMessage,
  type NetworkProtocol,
  type NetworkRequest,
  type WaitingMessage,
} from '../../protocols/networks/network.ts';
import { queryPairs } from '../query.ts';
import { callerAddress } from '../trust-proxy.ts';
import { countIgnored, type NetworkDesk, receiveFor, unknownTo } from './desk.ts';

/** Takes in what a network posts. What can't be used is answered 2xx too, with the reason. */
export async function serveMessage(
  desk: NetworkDesk,
  protocol: NetworkProtocol,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const now = timeNow();
  const asked: NetworkRequest = {
    query: queryPairs(request.raw.url!),
    contentType: request.headers['content-type'] ?? '',
    body: typeof request.body === 'string' ? request.body : '',
    now,
  };
  const message = protocol.decode(asked);
  const { name } = protocol;
  const address = callerAddress(request);
  if ('notUsable' in message) {
    countIgnored(desk, caller.userId, now);
    const problem = message.notUsable;
    desk.notes.undecoded({ protocol: name, address, problem, bytes: Buffer.from(asked.body), now });
    return ignored(reply, problem);
  }
  const { names, awaitsDownlink } = message;
  const device = await desk.devices.bySerial(caller, names);
  if (device === undefined) {
    countIgnored(desk, caller.userId, now);
    const problem = unknownTo(caller);
    desk.notes.undecoded({ protocol: name, name: names[0]!, address, problem, bytes: Buffer.from(asked.body), now });
    return ignored(reply, `none of your devices has the serial number ${names[0]}`, awaitsDownlink);
  }
  if (message.ignored !== undefined) return ignored(reply, message.ignored);
  const received = await receiveFor(desk, device.deviceId, message.report, now);
  const gateways = await noteGateways(desk, caller, device, message, now);
  if ('ignored' in received) return ignored(reply, received.ignored, awaitsDownlink);
  if (awaitsDownlink !== undefined) {
    const downlink = protocol.downlink?.(message, received.messages as unknown as WaitingMessage[]);
    if (downlink === undefined) return reply.code(204).send();
    await desk.reception.messageSent(device.deviceId, downlink.messageId, now);
    return reply.send(downlink.body);
  }
  const waiting = received.messages as unknown as WaitingMessage[];
  const push = message.isUplink && protocol.push?.(request.headers, waiting, message);
  // The network waits for an answer, and not for this.
  if (push) void desk.pushes.send(desk, push, { deviceId: device.deviceId, protocol: name, address });
  const { accepted, duplicates, quarantined } = received;
  return reply.send({ accepted, duplicates, quarantined, gateways });
}

/** Each gateway that belongs to the same user hears the device. Returns how many they are. */
async function noteGateways(
  desk: NetworkDesk,
  caller: Caller,
  device: OwnDevice,
  { heardBy }: NetworkMessage,
  now: number,
): Promise<number> {
  const noted = await Promise.all(
    heardBy.map(async ({ names, seen, identity }) => {
      const gateway = await desk.devices.bySerial(caller, names);
      if (gateway === undefined || gateway.deviceId === device.deviceId) return 0;
      const heard = { ...seen, sensorDeviceId: device.name };
      const report = { ...EMPTY, gatewayReadings: [heard], asSent: () => identity };
      return 'ignored' in (await receiveFor(desk, gateway.deviceId, report, now)) ? 0 : 1;
    }),
  );
  return noted.reduce((sum: number, one) => sum + one, 0);
}

const ignored = (reply: FastifyReply, reason: string, awaitsDownlink?: string) =>
  awaitsDownlink === undefined
    ? reply.send({ accepted: 0, duplicates: 0, quarantined: [], gateways: 0, ignored: reason })
    : reply.code(204).send();
