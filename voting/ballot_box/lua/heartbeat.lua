-- Heartbeat: store a gateway's presence counts and return those of all gateways.
-- KEYS: gateways, box, most, voters who have not voted, watchers.
-- ARGV: a `PresenceReport` as JSON. Returns a `Turnout` as JSON (see box_types.py).
-- Watchers have a key of their own: gateways of an earlier version parse the whole value of the first key.
local report = cjson.decode(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local unvoted = report.waiting[1] + report.waiting[2]
redis.call('HSET', KEYS[1], report.gateway,
  table.concat({ now, report.turn, report.connected[1], report.connected[2], unvoted }, ' '))
redis.call('PEXPIRE', KEYS[1], 60000)
local one, two, waiting = 0, 0, 0
local gateways = redis.call('HGETALL', KEYS[1])
for i = 1, #gateways, 2 do
  local at, turn, c1, c2, w = string.match(gateways[i + 1], '^(%d+) (%S+) (%d+) (%d+) (%d+)$')
  if math.abs(now - tonumber(at)) > report.stale_ms then
    redis.call('HDEL', KEYS[1], gateways[i])
  else
    one, two = one + c1, two + c2
    waiting = (waiting < 0 or turn ~= report.turn) and -1 or waiting + w
  end
end
local everybody_known = waiting
local most = tonumber(redis.call('GET', KEYS[3]) or 0)
if one + two >= most then
  most = one + two
  redis.call('SET', KEYS[3], most, 'PX', report.reconnect_grace_ms)
end
if waiting >= 0 then
  waiting = waiting + most - one - two
end
if report.watching == 0 then
  redis.call('HDEL', KEYS[5], report.gateway)
else
  redis.call('HSET', KEYS[5], report.gateway, now .. ' ' .. report.watching)
  redis.call('PEXPIRE', KEYS[5], 60000)
end
local watching = 0
local watchers = redis.call('HGETALL', KEYS[5])
for i = 1, #watchers, 2 do
  local at, count = string.match(watchers[i + 1], '^(%d+) (%d+)$')
  if math.abs(now - tonumber(at)) > report.stale_ms then
    redis.call('HDEL', KEYS[5], watchers[i])
  else
    watching = watching + count
  end
end
local voted = redis.call('HMGET', KEYS[2], 'red', 'yellow', 'epoch', 'acks:' .. report.client, 'red_at',
  'yellow_at', 'red_ends_at', 'arrivals', 'red_done', 'yellow_done')
if tonumber(voted[3] or 0) == report.epoch and tonumber(voted[4] or 0) < report.acknowledged then
  redis.call('HSET', KEYS[2], 'older', 1)
end
local done = { 0, 0 }
if voted[7] then
  redis.call('HSET', KEYS[4], report.gateway, report.waiting[1])
  redis.call('PEXPIRE', KEYS[4], 60000)
  local red = 0
  for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
    red = red + tonumber(redis.call('HGET', KEYS[4], name) or 0)
  end
  local left = { red, everybody_known - red }
  for i, side in ipairs({ 'red', 'yellow' }) do
    if everybody_known >= 0 and waiting == everybody_known and left[i] == 0 and tonumber(voted[i] or 0) > 0 then
      done[i] = tonumber(voted[4 + i] or voted[8 + i] or now)  -- restored ballots have no time
      redis.call('HSET', KEYS[2], side .. '_done', done[i])
    else
      redis.call('HDEL', KEYS[2], side .. '_done')
    end
  end
end
return cjson.encode({
  now = now,
  connected = { one, two },
  waiting = waiting >= 0 and waiting or cjson.null,
  red = tonumber(voted[1] or 0),
  yellow = tonumber(voted[2] or 0),
  picked_at = { tonumber(voted[5] or 0), tonumber(voted[6] or 0) },
  all_voted_at = done,
  watching = watching,
  figures = {
    reconnecting = most - one - two,
    changed = math.max(0, tonumber(voted[8] or 0) - tonumber(voted[1] or 0) - tonumber(voted[2] or 0)),
  },
})
