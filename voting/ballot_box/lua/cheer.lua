-- A gateway says how often its phones have pressed so far, and hears what all gateways' presses come to.
-- KEYS: cheers.  ARGV: gateway, presses of team 1, of team 2, kept for (ms).  Answers {team 1, team 2}.
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
local one, two = 0, 0
for _, presses in ipairs(redis.call('HVALS', KEYS[1])) do
  local c1, c2 = string.match(presses, '^(%d+) (%d+)$')
  one, two = one + c1, two + c2
end
return { one, two }
