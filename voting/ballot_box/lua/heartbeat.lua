-- Heartbeat: store a gateway's presence counts and return those of all gateways.
-- KEYS: gateways, box, most, voters who have not voted, watchers.
-- ARGV: 1 gateway; 2 stale after (ms); 3 turn and epoch; 4, 5 connected voters of teams 1 and 2; 6 of those, not
--   voted; 7 epoch; 8 gateway as in cast.lua; 9 arrivals last acknowledged to it; 10 reconnect grace (ms);
--   11 red voters among those not voted; 12 watchers.
-- Returns {now, connected 1, connected 2, not voted, ballots of red, ballots of yellow, red's pick since,
--   yellow's pick since, all of red voted since, all of yellow voted since, watchers}.
--   The four "since" times (Unix ms) are 0 if there is none, and always in a match without clocks.
--   "Not voted" includes voters who may reconnect. It is -1 while a gateway's count is of another turn.
-- Watchers have a key of their own: gateways of an earlier version parse the whole value of the first key.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], ARGV[1], table.concat({ now, ARGV[3], ARGV[4], ARGV[5], ARGV[6] }, ' '))
redis.call('PEXPIRE', KEYS[1], 60000)
local one, two, waiting = 0, 0, 0
local gateways = redis.call('HGETALL', KEYS[1])
for i = 1, #gateways, 2 do
  local at, turn, c1, c2, w = string.match(gateways[i + 1], '^(%d+) (%S+) (%d+) (%d+) (%d+)$')
  if math.abs(now - tonumber(at)) > tonumber(ARGV[2]) then
    redis.call('HDEL', KEYS[1], gateways[i])
  else
    one, two = one + c1, two + c2
    waiting = (waiting < 0 or turn ~= ARGV[3]) and -1 or waiting + w
  end
end
local everybody_known = waiting
local most = tonumber(redis.call('GET', KEYS[3]) or 0)
if one + two >= most then
  most = one + two
  redis.call('SET', KEYS[3], most, 'PX', ARGV[10])
end
if waiting >= 0 then
  waiting = waiting + most - one - two
end
if ARGV[12] == '0' then
  redis.call('HDEL', KEYS[5], ARGV[1])
else
  redis.call('HSET', KEYS[5], ARGV[1], now .. ' ' .. ARGV[12])
  redis.call('PEXPIRE', KEYS[5], 60000)
end
local watching = 0
local watchers = redis.call('HGETALL', KEYS[5])
for i = 1, #watchers, 2 do
  local at, count = string.match(watchers[i + 1], '^(%d+) (%d+)$')
  if math.abs(now - tonumber(at)) > tonumber(ARGV[2]) then
    redis.call('HDEL', KEYS[5], watchers[i])
  else
    watching = watching + count
  end
end
local voted = redis.call('HMGET', KEYS[2], 'red', 'yellow', 'epoch', 'acks:' .. ARGV[8], 'red_at',
  'yellow_at', 'red_ends_at')
if tonumber(voted[3] or 0) == tonumber(ARGV[7]) and tonumber(voted[4] or 0) < tonumber(ARGV[9]) then
  redis.call('HSET', KEYS[2], 'older', 1)
end
local done = { 0, 0 }
if voted[7] then
  redis.call('HSET', KEYS[4], ARGV[1], ARGV[11])
  redis.call('PEXPIRE', KEYS[4], 60000)
  local red = 0
  for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
    red = red + tonumber(redis.call('HGET', KEYS[4], name) or 0)
  end
  local left = { red, everybody_known - red }
  for i, side in ipairs({ 'red', 'yellow' }) do
    if everybody_known >= 0 and waiting == everybody_known and left[i] == 0 and tonumber(voted[i] or 0) > 0 then
      done[i] = tonumber(voted[4 + i] or now)
      redis.call('HSET', KEYS[2], side .. '_done', done[i])
    else
      redis.call('HDEL', KEYS[2], side .. '_done')
    end
  end
end
return { now, one, two, waiting, tonumber(voted[1] or 0), tonumber(voted[2] or 0), tonumber(voted[5] or 0),
  tonumber(voted[6] or 0), done[1], done[2], watching }
