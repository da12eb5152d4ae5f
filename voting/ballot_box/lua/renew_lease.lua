-- A dry run takes or keeps its event, and notes how it fares; with its last word it lets go.
-- KEYS: rehearsal.  ARGV: run, what it tells, kept for (ms), unwatched at most (ms), last word 1 or 0.
-- Answers 0 another run has the event, 1 go on, 2 end: it was asked to, or nobody watched for so long.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', KEYS[1], 'run', 'watched_at', 'stopped_at')
if held[1] and held[1] ~= ARGV[1] then
  return 0
end
if not held[1] then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'run', ARGV[1], 'watched_at', now)
  held = { ARGV[1], now, false }
end
redis.call('HSET', KEYS[1], 'progress', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if ARGV[5] == '1' then
  redis.call('HDEL', KEYS[1], 'run')
end
return (held[3] or now - held[2] > tonumber(ARGV[4])) and 2 or 1
